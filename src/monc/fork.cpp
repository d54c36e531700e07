#include "monc/fork.h"

#include <algorithm>
#include <initializer_list>

#include "config/values.h"

namespace pileus::monc {
namespace {

bool has_any(const Options& options, std::initializer_list<const char*> keys) {
  return std::ranges::any_of(keys, [&](const char* key) { return options.find(key) != options.end(); });
}

}  // namespace

Fork fork_of(const Options& options, std::string_view text) {
  if (const auto said = options.find(kDialectOption); said != options.end()) {
    if (said->second == "monc-leeds") return Fork::leeds;
    if (said->second == "monc-epcc") return Fork::epcc;
  }
  if (has_any(options, {kTimeBasis, kForceOutput, "l_thoff", "tracers_enabled"})) return Fork::epcc;
  // A model hands over all its options, and each MONC has this one.
  if (has_any(options, {"iobridge_enabled"})) return Fork::leeds;
  const bool is_newer = text.find("write_precision") != text.npos || text.find("tfields") != text.npos;
  return is_newer ? Fork::epcc : Fork::unknown;
}

bool is_true(std::string_view value) {
  std::string word(trimmed(value));
  std::erase(word, '.');
  std::ranges::transform(word, word.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  return word == "true" || word == "t" || word == "1";
}

}  // namespace pileus::monc
