#pragma once
// The forms that values have in a configuration: numbers, times, sizes, names, lists. Pure functions on text.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/duration.h"

namespace pileus {

/// Without blanks (space, tab, line ends) at its ends.
std::string_view trimmed(std::string_view text);

/// A number and the letters that follow it, for example "10" and "min".
struct Quantity {
  std::string_view number, unit;
};
Quantity split_quantity(std::string_view text);

/// A finite decimal number.
std::optional<double> parse_number(std::string_view text);
/// A whole number of digits alone, from `smallest` on, that fits 64 bits.
std::optional<std::int64_t> parse_integer(std::string_view text, std::int64_t smallest);
/// A whole number with or without a minus that fits 64 bits.
std::optional<std::int64_t> parse_signed(std::string_view text);
/// Bounds of times, in s. Nothing of a model is shorter or later, and with model times of at most 9e9 s, 285
/// years, the multiples of the shortest are still whole numbers that a double tells apart.
inline constexpr double kShortestTime_s = 1e-6, kLongestTime_s = 1e15;
/// A number with a unit of so many seconds, whatever its sign and size.
std::optional<double> parse_seconds(std::string_view text);
/// A time within these bounds, of no place: "100", "10 s", "10 min", "6 h", "1 d", "1 month", "3 months",
/// "1 year".
std::optional<Duration> parse_duration(std::string_view text);
/// Whether it is a number of months or years, of which there may be none or half a one.
bool is_in_months(std::string_view text);
/// A positive size in bytes: "1024", "4 KiB", "512 MiB", "2 GiB".
std::optional<std::int64_t> parse_bytes(std::string_view text);
/// "true" or "false".
std::optional<bool> parse_boolean(std::string_view text);

/// In bytes: as long as a variable's name in netCDF may be.
inline constexpr std::size_t kLongestName = 256;
/// The same with namespaces around it.
inline constexpr std::size_t kLongestReference = 1024;

/// In bytes, as file systems take it.
inline constexpr std::size_t kLongestFileName = 255;

/// What is wrong with `text` as a name of letters, digits, "_", "-" and "."; "" if nothing.
std::string name_problem(std::string_view text);
/// The same for a name behind namespaces, "ns::name".
std::string reference_problem(std::string_view text);
/// What is wrong with `text` as a name of a file in the run's output folder; "" if nothing.
std::string file_name_problem(std::string_view text);

/// The words between blanks.
std::vector<std::string> split_words(std::string_view text);

struct ListItem {
  std::string text;    ///< trimmed
  std::size_t at = 0;  ///< of its first byte in the list
};

/// The items between commas; none if `text` is blank. "a,,b" has an empty item.
std::vector<ListItem> split_list(std::string_view text);

}  // namespace pileus
