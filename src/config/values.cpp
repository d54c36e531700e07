#include "config/values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "config/messages.h"
#include "config/namespaces.h"
#include "core/step.h"

namespace pileus {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// The first character of `text`, which may have several bytes.
std::string first_character(std::string_view text) {
  std::size_t size = 1;
  while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) ++size;
  return in_quotes(text.substr(0, size));
}

std::string too_long(const std::string& what, std::size_t size, std::size_t longest) {
  return what + " has at most " + std::to_string(longest) + " bytes, and this has " + std::to_string(size);
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

Quantity split_quantity(std::string_view text) {
  text = trimmed(text);
  std::size_t unit = text.size();
  while (unit > 0 && is_letter(text[unit - 1])) --unit;
  return {trimmed(text.substr(0, unit)), text.substr(unit)};
}

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<std::int64_t> parse_integer(std::string_view text, std::int64_t smallest) {
  std::int64_t value = 0;
  if (!std::all_of(text.begin(), text.end(), is_digit)) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < smallest) return std::nullopt;
  return value;
}

std::optional<std::int64_t> parse_signed(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

std::optional<double> parse_seconds(std::string_view text) {
  const auto [number, unit] = split_quantity(text);
  const double factor = unit.empty() || unit == "s" ? 1
                        : unit == "min"             ? 60
                        : unit == "h"               ? 3600
                        : unit == "d"               ? 86400
                                                    : 0;
  const auto value = parse_number(number);
  return value && factor > 0 ? std::optional(*value * factor) : std::nullopt;
}

std::optional<Duration> parse_duration(std::string_view text) {
  if (const std::optional<Months> months = parse_months(text))
    return Duration{0, months->count, {}, months->from};
  const auto seconds = parse_seconds(text);
  const bool is_within = seconds && *seconds >= kShortestTime_s && *seconds <= kLongestTime_s;
  return is_within ? std::optional(Duration{*seconds}) : std::nullopt;
}

bool is_in_months(std::string_view text) { return parse_months(text) || !months_problem(text).empty(); }

std::optional<std::int64_t> parse_bytes(std::string_view text) {
  const auto [number, unit] = split_quantity(text);
  const int shift = unit.empty() ? 0 : unit == "KiB" ? 10 : unit == "MiB" ? 20 : unit == "GiB" ? 30 : -1;
  const auto value = parse_integer(number, 1);
  if (shift < 0 || !value || *value > (std::numeric_limits<std::int64_t>::max() >> shift))
    return std::nullopt;
  return *value << shift;
}

std::optional<bool> parse_boolean(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return std::nullopt;
}

std::string name_problem(std::string_view text) {
  if (text.empty()) return "a name must not be empty";
  if (text.size() > kLongestName) return too_long("a name", text.size(), kLongestName);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '.') continue;
    return "a name is made of letters, digits, \"_\", \"-\" and \".\", not of " +
           first_character(text.substr(i));
  }
  return "";
}

std::string reference_problem(std::string_view text) {
  if (text.size() > kLongestReference)
    return too_long("a name with its namespaces", text.size(), kLongestReference);
  for (std::size_t mark; (mark = text.find(kNamespaceMark)) != text.npos;) {
    if (std::string problem = name_problem(text.substr(0, mark)); !problem.empty()) return problem;
    text.remove_prefix(mark + kNamespaceMark.size());
  }
  const std::string problem = name_problem(text);
  const bool is_of_component = !problem.empty() && text.find('/') != text.npos;
  return is_of_component ? problem + "; fields of another component cannot be used here" : problem;
}

std::string file_name_problem(std::string_view text) {
  if (text.empty()) return "a file's name must not be empty";
  if (text.front() == '.') return "a file's name must not begin with \".\"";
  if (text.size() > kLongestFileName) return too_long("a file's name", text.size(), kLongestFileName);
  for (unsigned char c : text) {
    if (c == '/') return "a file's name must not hold \"/\"; the folder is chosen where the run is started";
    if (c < 0x20 || c == 0x7F) return "a file's name must not hold control characters";
  }
  return "";
}

std::string file_path_problem(std::string_view text) {
  if (text.size() > kLongestFileName) return too_long("a file's name", text.size(), kLongestFileName);
  for (std::size_t slash; (slash = text.find('/')) != text.npos; text.remove_prefix(slash + 1)) {
    const std::string_view folder = text.substr(0, slash);
    if (folder.empty() || folder.front() == '.')
      return "a folder in a file's name lies in the folder of the run: \"out/a.nc\", without \"/\" before "
             "it, "
             "\".\" or \"..\"";
    if (folder.find('{') != folder.npos)
      return "{time}, {date}, {index} and {step} stand in the name of a file, and not in that of its folder";
    if (std::string problem = file_name_problem(folder); !problem.empty()) return problem;
  }
  return file_name_problem(text);
}

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    const std::size_t end = std::min(text.find_first_of(" \t\r\n"), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

std::vector<std::string> split_numbers(std::string_view text) {
  std::string words(text);
  std::ranges::replace(words, ',', ' ');
  return split_words(words);
}

std::vector<ListItem> split_list(std::string_view text) {
  std::vector<ListItem> items;
  if (trimmed(text).empty()) return items;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string_view item = trimmed(text.substr(at, comma - at));
    items.push_back(
        {std::string(item), item.empty() ? at : static_cast<std::size_t>(item.data() - text.data())});
    at = comma + 1;
  }
  return items;
}

}  // namespace pileus
