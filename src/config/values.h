#pragma once
// Parses the values of a configuration: numbers, times, sizes, names, lists. Pure functions on text.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/duration.h"

namespace pileus {

/// The text without blanks (space, tab, line ends) at its ends.
std::string_view trimmed(std::string_view text);

/// A number and the letters that follow it, for example "10" and "min".
struct Quantity {
  std::string_view number, unit;
};
Quantity split_quantity(std::string_view text);

/// A finite decimal number.
std::optional<double> parse_number(std::string_view text);
/// A whole number, in digits alone and not below `smallest`, that fits 64 bits.
std::optional<std::int64_t> parse_integer(std::string_view text, std::int64_t smallest);
/// A whole number with or without a minus that fits 64 bits.
std::optional<std::int64_t> parse_signed(std::string_view text);
/// Bounds of times, in s. No time of a model lies outside them. With model times up to 9e9 s, 285 years, a
/// double still tells the multiples of the shortest time apart.
inline constexpr double kShortestTime_s = 1e-6, kLongestTime_s = 1e15;
/// A number with a unit, in seconds, whatever its sign and size.
std::optional<double> parse_seconds(std::string_view text);
/// A time within these bounds, without a place: "100", "10 s", "10 min", "6 h", "1 d", or months.
std::optional<Duration> parse_duration(std::string_view text);
/// Whether it is a number of months, seasons or years, perhaps zero or a fraction.
bool is_in_months(std::string_view text);
/// A positive size in bytes: "1024", "4 KiB", "512 MiB", "2 GiB".
std::optional<std::int64_t> parse_bytes(std::string_view text);
/// "true" or "false".
std::optional<bool> parse_boolean(std::string_view text);

/// The longest name of a variable in netCDF, in bytes.
inline constexpr std::size_t kLongestName = 256;
/// The longest name with namespaces around it.
inline constexpr std::size_t kLongestReference = 1024;

/// The longest name that file systems take, in bytes.
inline constexpr std::size_t kLongestFileName = 255;

/// What is wrong with `text` as a name of letters, digits, "_", "-" and "."; "" if nothing.
std::string name_problem(std::string_view text);
/// What is wrong with `text` as a name that may have namespaces, "ns::name"; "" if nothing.
std::string reference_problem(std::string_view text);
/// What is wrong with `text` as a name of a file in the run's output folder; "" if nothing.
std::string file_name_problem(std::string_view text);
/// The same of a name that may have folders before it, such as "out/winds.nc".
std::string file_path_problem(std::string_view text);

/// The words between blanks.
std::vector<std::string> split_words(std::string_view text);

/// The words between blanks or commas.
std::vector<std::string> split_numbers(std::string_view text);
/// What a list of numbers begins with that stands in a file.
inline constexpr std::string_view kFileOfNumbers = "file:";

struct ListItem {
  std::string text;    ///< trimmed
  std::size_t at = 0;  ///< position of its first byte in the list
};

/// The items between commas; none if `text` is blank. "a,,b" has an empty item.
std::vector<ListItem> split_list(std::string_view text);

}  // namespace pileus
