#include "config/cmip/patterns.h"

#include <regex.h>

#include <algorithm>
#include <cstdlib>

namespace pileus {
namespace {

/// Vocabularies are data of others: the longest text that is matched with the longest pattern, and how often
/// all its repetitions together may say that something comes.
constexpr std::size_t kLongestMatched = 4000, kLongestPattern = 1000;
constexpr long kMostRepetitions = 1000;

/// Repetitions of repetitions multiply, and what refers back is searched for in exponential time.
bool takes_long(const std::string& pattern) {
  long repetitions = 1;
  for (std::size_t i = 0; i + 1 < pattern.size(); ++i) {
    if (pattern[i] != '\\') continue;
    const char next = pattern[++i];
    if (next >= '1' && next <= '9') return true;
    if (next != '{') continue;
    long most = 1;
    for (std::size_t at = i + 1; at < pattern.size() && pattern[at] != '\\'; ++at) {
      if (pattern[at] == ',') continue;
      char* end = nullptr;
      most = std::max(most, std::strtol(pattern.c_str() + at, &end, 10));
      at = std::max(at, static_cast<std::size_t>(end - pattern.c_str()) - 1);
    }
    if (most > kMostRepetitions || (repetitions *= most) > kMostRepetitions) return true;
  }
  return false;
}

}  // namespace

bool is_pattern(const std::string& word) { return word.find_first_of("^$*\\[") != std::string::npos; }

bool fits_pattern(const std::string& pattern, const std::string& value) {
  if (value.size() > kLongestMatched) return false;
  if (pattern.size() > kLongestPattern || takes_long(pattern)) return true;
  regex_t made;
  if (::regcomp(&made, pattern.c_str(), REG_NOSUB) != 0) return true;
  const int status = ::regexec(&made, value.c_str(), 0, nullptr, 0);
  ::regfree(&made);
  return status != REG_NOMATCH;
}

}  // namespace pileus
