#include "core/text_options.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace pileus {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// Of what stands in braces, and of an include, in bytes: no more is looked at.
constexpr std::size_t kLongestOption = 1024;

bool is_key(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return (std::isalnum(c) != 0) || c == '_' || c == '-' || c == '.';
  });
}

}  // namespace

std::vector<std::pair<std::string, std::optional<std::string>>> settings_of(std::string_view text) {
  std::vector<std::pair<std::string, std::optional<std::string>>> found;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find(';'));
    text.remove_prefix(std::min(one.size() + 1, text.size()));
    if (trimmed(one).empty()) continue;
    const std::size_t mark = one.find('=');
    found.emplace_back(
        trimmed(one.substr(0, mark)),
        mark == one.npos ? std::nullopt : std::optional(std::string(trimmed(one.substr(mark + 1)))));
  }
  return found;
}

std::vector<OptionOfText> options_with_defaults(std::string_view text) {
  std::vector<OptionOfText> found;
  std::set<std::string> known;
  for (std::size_t open = text.find('{'); open != text.npos; open = text.find('{', open + 1)) {
    const std::string_view rest = text.substr(open + 1, kLongestOption);
    const std::size_t end = rest.find_first_of("{}");
    if (end == rest.npos || rest[end] == '{') continue;
    const std::string_view inner = rest.substr(0, end);
    const std::size_t mark = inner.find(':');
    const std::string key(trimmed(inner.substr(0, mark)));
    if (!is_key(key) || !known.insert(key).second) continue;
    found.push_back({key, mark == inner.npos ? std::nullopt
                                             : std::optional(std::string(trimmed(inner.substr(mark + 1))))});
  }
  return found;
}

std::vector<std::string> options_in(std::string_view text) {
  std::vector<std::string> keys;
  for (OptionOfText& one : options_with_defaults(text)) keys.push_back(std::move(one.key));
  return keys;
}

bool includes_files(std::string_view text) {
  for (std::size_t at = text.find("<include"); at != text.npos; at = text.find("<include", at + 1)) {
    const std::string_view rest = text.substr(at, kLongestOption);
    if (rest.substr(0, rest.find('>')).find("file") != rest.npos) return true;
  }
  return false;
}

}  // namespace pileus
