#include "core/text_options.h"

#include <algorithm>
#include <cctype>

namespace pileus {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

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
  for (std::size_t open = text.find('{'); open != text.npos; open = text.find('{', open + 1)) {
    const std::size_t close = text.find('}', open);
    if (close == text.npos) break;
    const std::string_view inner = text.substr(open + 1, close - open - 1);
    const std::size_t mark = inner.find(':');
    const std::string key(trimmed(inner.substr(0, mark)));
    const auto is_it = [&](const OptionOfText& one) { return one.key == key; };
    if (!is_key(key) || std::ranges::any_of(found, is_it)) continue;
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

bool uses_option(std::string_view text, std::string_view key) {
  return text.find("<include") != text.npos ||
         std::ranges::any_of(options_in(text), [&](const std::string& one) { return one == key; });
}

}  // namespace pileus
