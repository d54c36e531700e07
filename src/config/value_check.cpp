#include "config/value_check.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <span>
#include <sstream>
#include <utility>
#include <vector>

#include "config/messages.h"
#include "config/stages.h"
#include "config/values.h"
#include "core/calendar.h"
#include "core/region.h"
#include "core/signals.h"

namespace pileus {
namespace {

/// The longest list in one attribute order: longer than for any variable, as a file's list serves all of its
/// variables.
constexpr std::size_t kMostOrdered = 64;

/// The longest path that systems take, in bytes.
constexpr std::size_t kLongestPath = 4095;

const std::vector<std::string> kBooleans = {"true", "false"};

/// Words that other programs use. The first that is a word here counts.
constexpr std::pair<std::string_view, std::string_view> kOtherWords[] = {{"average", "mean"},
                                                                         {"average", "averaged"},
                                                                         {"avg", "mean"},
                                                                         {"avg", "averaged"},
                                                                         {"mean", "averaged"},
                                                                         {"max", "maximum"},
                                                                         {"maximum", "max"},
                                                                         {"min", "minimum"},
                                                                         {"minimum", "min"},
                                                                         {"std", "standard_deviation"},
                                                                         {"stddev", "standard_deviation"},
                                                                         {"var", "variance"},
                                                                         {"cov", "covariance"},
                                                                         {"total", "sum"},
                                                                         {"sum", "accumulated"},
                                                                         {"snapshot", "instantaneous"},
                                                                         {"instant", "instantaneous"}};
/// Words that are spelt like some of ours and mean something else.
constexpr std::array<std::string_view, 2> kOfOthers = {"median", "mode"};

std::string word_meant(std::string_view value, std::span<const std::string> words) {
  for (const auto& [other, ours] : kOtherWords) {
    if (other == value && std::ranges::find(words, ours) != words.end()) return did_you_mean(ours);
  }
  return std::ranges::find(kOfOthers, value) != kOfOthers.end() ? "" : suggestion(value, words);
}

/// "quantile(0.95)", "p95" and the like.
std::string percentile_meant(std::string_view value, std::span<const std::string> words) {
  constexpr std::array<std::string_view, 5> kNames = {"percentile", "quantile", "pctl", "p", "q"};
  const std::size_t digit = std::min(value.find_first_of("0123456789"), value.size());
  const std::string_view name = value.substr(0, value.find_last_not_of("_([ ", digit - 1) + 1);
  const std::size_t end = value.find_first_not_of("0123456789.", digit);
  const auto number = parse_number(value.substr(digit, end - digit));
  if (digit == 0 || !number || *number > 100 || std::ranges::find(kNames, name) == kNames.end()) return "";
  const std::string percent = std::to_string(std::lround(*number <= 1 ? *number * 100 : *number));
  const std::string meant =
      percent == "50" ? "median" : "percentile_" + std::string(percent.size() < 2 ? "0" : "") + percent;
  return std::ranges::find(words, meant) != words.end() ? did_you_mean(meant) : "";
}

std::string word_problem(std::string_view value, const AttributeSchema& schema) {
  for (const std::string& word : schema.words) {
    if (word == value) return "";
  }
  // A digit has a meaning: float64 is not a typing error for float.
  const bool has_digit = value.find_first_of("0123456789") != value.npos;
  return "expected " + listed(schema.words) +
         (has_digit ? percentile_meant(value, schema.words) : word_meant(value, schema.words));
}

bool is_one_word(std::string_view value) { return value.find_first_of(", \t\r\n") == value.npos; }

std::string dimensions_problem(std::string_view value, const std::string& example, std::size_t most) {
  const std::vector<ListItem> items = split_list(value);
  std::set<std::string> seen;
  for (const ListItem& item : items) {
    if (item.text.empty())
      return "a name is missing beside a comma; expected names of dimensions such as " + in_quotes(example);
    if (std::string problem = name_problem(item.text); !problem.empty()) return problem;
    if (!seen.insert(item.text).second) return "dimension " + in_quotes(item.text) + " is named twice";
  }
  if (items.size() <= most) return "";
  return std::to_string(items.size()) + " dimensions; at most " + std::to_string(most) + " are possible";
}

std::string references_problem(std::string_view value) {
  const std::vector<ListItem> items = split_list(value);
  if (items.size() > kMostListed)
    return std::to_string(items.size()) + " names; at most " + std::to_string(kMostListed) + " are possible";
  std::set<std::string> seen;
  for (const ListItem& item : items) {
    if (item.text.empty()) return "a name is missing beside a comma; expected names such as \"w,theta\"";
    if (std::string problem = reference_problem(item.text); !problem.empty()) return problem;
    if (!seen.insert(item.text).second) return in_quotes(item.text) + " is named twice";
  }
  return "";
}

bool is_count(std::string_view value) { return parse_integer(value, 0).has_value(); }

bool are_counts(std::string_view value) {
  return std::ranges::all_of(split_list(value), [](const ListItem& item) { return is_count(item.text); });
}

std::string numbers_problem(std::string_view value) {
  const std::string expected =
      "expected numbers such as \"85000 50000\", or \"file:\" and the path of a text file";
  if (value.starts_with(kFileOfNumbers)) return value == kFileOfNumbers ? expected : "";
  const std::vector<std::string> words = split_numbers(value);
  if (words.empty()) return expected;
  for (const std::string& word : words) {
    if (!parse_number(word)) return expected + "; " + in_quotes(word) + " is no number";
  }
  return "";
}

std::string unless(bool is_right, const char* expected) { return is_right ? "" : expected; }

constexpr std::array kTimes = {"s", "min", "h", "d", "month", "months", "season", "year", "years"};
constexpr std::array kSizes = {"KiB", "MiB", "GiB"};
/// Names that people use for the same thing.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"sec", "s"},   {"second", "s"}, {"seconds", "s"}, {"minute", "min"}, {"minutes", "min"}, {"hour", "h"},
    {"hours", "h"}, {"day", "d"},    {"days", "d"},    {"KB", "KiB"},     {"MB", "MiB"},      {"GB", "GiB"},
    {"K", "KiB"},   {"M", "MiB"},    {"G", "GiB"},     {"kB", "KiB"}};

/// The same number with the unit that was probably meant.
std::string quantity_meant(std::string_view value, std::span<const char* const> units) {
  const Quantity written = split_quantity(value);
  if (!parse_number(written.number) || written.unit.empty()) return "";
  const std::vector<std::string> known(units.begin(), units.end());
  std::string unit = nearest(shortened(written.unit), known);
  for (const auto& [other, ours] : kOtherNames) {
    if (written.unit == other && std::ranges::find(known, ours) != known.end()) unit = ours;
  }
  const bool is_known = std::ranges::find(known, written.unit) != known.end();
  return is_known || unit.empty() ? "" : did_you_mean(std::string(written.number) + " " + unit);
}

/// Parts of a second, as other programs write them.
constexpr std::pair<std::string_view, double> kPartsOfSecond[] = {{"ms", 1e-3}, {"msec", 1e-3}, {"us", 1e-6},
                                                                  {"µs", 1e-6}, {"usec", 1e-6}, {"ns", 1e-9}};

/// The same time in seconds, if it is written in parts of a second, or how to count steps instead.
std::string time_meant(std::string_view value) {
  const Quantity written = split_quantity(value);
  const std::optional<double> number = parse_number(written.number);
  if (!number) return "";
  for (const auto& [unit, seconds] : kPartsOfSecond) {
    if (written.unit != unit) continue;
    std::ostringstream text;
    text << *number * seconds;
    return did_you_mean(text.str() + " s");
  }
  if (written.unit == "step" || written.unit == "steps")
    return "; frequency=" + in_quotes(std::string(written.number)) +
           " of a data-definition has its fields every so many steps, and time_manipulation=\"none\" writes "
           "each";
  return quantity_meant(value, kTimes);
}

}  // namespace

std::string duration_problem(std::string_view value) {
  if (parse_duration(value)) return "";
  if (std::string problem = months_problem(value); !problem.empty()) return problem;
  const double seconds = parse_seconds(value).value_or(0);
  if (seconds > kLongestTime_s)
    return "a time is at most 1e15 s, thirty million years: models have no later times";
  if (seconds > 0)
    return "a time is at least 1e-6 s: no model has such short steps, and multiples of less could not be "
           "told "
           "apart";
  return std::string(
             "expected a positive time: seconds, or a number with s, min, h, d, month, season or year such "
             "as \"10 min\"") +
         time_meant(value);
}

namespace {

/// Steps have no unit, so a time has one.
std::string cadence_problem(std::string_view value) {
  if (is_count(value)) return "";
  const std::string expected =
      "expected a whole number, from 0, of steps, or a time with a unit such as \"30 s\"";
  if (is_in_months(value)) return expected + "; months and years differ in length: write days";
  if (parse_number(value)) return expected;
  const Quantity written = split_quantity(value);
  if (written.unit == "step" || written.unit == "steps")
    return expected + did_you_mean(std::string(written.number));
  const std::string problem = duration_problem(value);
  return problem.starts_with("expected") ? expected + time_meant(value) : problem;
}

std::string error_problem(std::string_view value) {
  const std::vector<std::string> kinds = {"absolute", "relative"};
  const std::vector<std::string> words = split_words(value);
  const bool is_kind = !words.empty() && std::ranges::find(kinds, words[0]) != kinds.end();
  if (!is_kind || words.size() < 2 || !parse_number(words[1]))
    return "expected \"absolute 0.01 K\" or \"relative 1e-4\"" +
           (is_kind || words.empty() ? "" : suggestion(words[0], kinds));
  return words[0] == "relative" && words.size() > 2 ? "a relative error has no units" : "";
}

std::string signals_problem(std::string_view value) {
  std::set<std::string> seen;
  for (const std::string& word : split_words(value)) {
    if (!signal_number(word))
      return "expected some of " + listed(signal_words()) + ", separated by blanks" +
             suggestion(word.starts_with("SIG") ? word.substr(3) : word, signal_words());
    if (!seen.insert(word).second) return "signal " + in_quotes(word) + " is named twice";
  }
  return unless(!seen.empty(), "expected signals such as \"TERM USR1\"");
}

}  // namespace

std::string value_problem(std::string_view value, const AttributeSchema& schema) {
  switch (schema.kind) {
    case ValueKind::text:
    case ValueKind::table: return "";
    case ValueKind::name: return name_problem(value);
    case ValueKind::reference: return reference_problem(value);
    case ValueKind::references: return references_problem(value);
    case ValueKind::file_name: return file_path_problem(value);
    case ValueKind::plain_file_name: return file_name_problem(value);
    case ValueKind::whole_path:
      return unless(value.starts_with('/'),
                    "expected a path that begins with \"/\", as each server looks for it on its own host");
    case ValueKind::names: return dimensions_problem(value, "z,y,x", kMaxRank);
    case ValueKind::order: return dimensions_problem(value, "time,z,y,x", kMostOrdered);
    case ValueKind::level:
      return unless(parse_integer(value, 0).value_or(10) < 10, "expected a whole number from 0 to 9");
    case ValueKind::bits:
      return unless(parse_integer(value, 1).value_or(53) < 53, "expected a whole number from 1 to 52");
    case ValueKind::packed_bits:
      return unless(parse_integer(value, 1).value_or(33) < 33, "expected a whole number from 1 to 32");
    case ValueKind::places:
      return unless(std::abs(parse_signed(value).value_or(21)) < 21,
                    "expected a whole number from -20 to 20");
    case ValueKind::error: return error_problem(value);
    case ValueKind::calendar:
      return parse_calendar(value)
                 ? ""
                 : "expected " + listed(calendar_words()) + suggestion(value, calendar_words());
    case ValueKind::date:
      return unless(parse_date(value).has_value(), "expected a date such as \"2000-01-01 00:00:00\"");
    case ValueKind::signals: return signals_problem(value);
    case ValueKind::wall_time:
      return is_in_months(value)
                 ? "a clock on the wall counts no months or years; write days such as \"30 d\""
                 : duration_problem(value);
    case ValueKind::word: return word_problem(value, schema);
    case ValueKind::stages:
      return is_one_word(value) ? word_problem(value, schema) : stages_problem(value, schema.words);
    case ValueKind::boolean:
      return parse_boolean(value) ? "" : "expected true or false" + suggestion(value, kBooleans);
    case ValueKind::integer:
      return unless(parse_integer(value, 1).has_value(), "expected a positive whole number such as 10");
    case ValueKind::count: return unless(is_count(value), "expected a whole number, from 0");
    case ValueKind::counts:
      return unless(are_counts(value), "expected whole numbers from 0, separated by commas, such as \"4,4\"");
    case ValueKind::number:
      return unless(parse_number(value).has_value(), "expected a number such as 0.5 or 1e-3");
    case ValueKind::numbers: return numbers_problem(value);
    case ValueKind::duration: return duration_problem(value);
    case ValueKind::duration_or_0: return parse_number(value) == 0.0 ? "" : duration_problem(value);
    case ValueKind::cadence: return cadence_problem(value);
    case ValueKind::bytes:
      return parse_bytes(value) ? ""
                                : "expected a positive number of bytes, or one with KiB, MiB or GiB such as "
                                  "\"512 MiB\"" +
                                      quantity_meant(value, kSizes);
    case ValueKind::path:
      if (value.size() > kLongestPath)
        return "a path has at most " + std::to_string(kLongestPath) + " bytes, and this has " +
               std::to_string(value.size());
      return unless(!value.empty(), "expected a file such as \"winds.xml\"");
    case ValueKind::attribute_value: return unless(!value.empty(), "expected a text or a number");
    case ValueKind::expression: return unless(!value.empty(), "expected an expression such as \"a/b\"");
    case ValueKind::server:
      return unless(value == "auto" || parse_integer(value, 0),
                    "expected auto or the number of a server, from 0");
  }
  return "";
}

}  // namespace pileus
