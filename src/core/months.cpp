#include "core/months.h"

#include <algorithm>
#include <charconv>

#include "core/step.h"
#include "core/suggest.h"

namespace pileus {
namespace {

constexpr int kOfYear = 12;
constexpr std::string_view kFrom = " from ";

std::string_view without_blanks(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

/// "3 months from March": its number, unit and month.
struct Written {
  std::string_view number, unit, from;
  bool has_from = false;
};

Written split(std::string_view text) {
  Written written;
  text = without_blanks(text);
  if (const std::size_t at = text.find(kFrom); at != text.npos) {
    written.from = without_blanks(text.substr(at + kFrom.size()));
    written.has_from = true;
    text = without_blanks(text.substr(0, at));
  }
  const std::size_t letters = text.find_last_not_of("abcdefghijklmnopqrstuvwxyz") + 1;
  written.unit = text.substr(letters);
  written.number = without_blanks(text.substr(0, letters));
  return written;
}

/// How many months; 0: it is another unit.
std::int64_t months_in(std::string_view unit) {
  if (unit == "month" || unit == "months") return 1;
  if (unit == "season" || unit == "seasons") return 3;
  return unit == "year" || unit == "years" ? kOfYear : 0;
}

/// 0: there is none of this name.
int number_of_month(std::string_view word) {
  const auto found = std::ranges::find(month_names(), word);
  return found == month_names().end() ? 0 : static_cast<int>(found - month_names().begin()) + 1;
}

bool fits_into_years(std::int64_t months) { return kOfYear % months == 0 || months % kOfYear == 0; }

/// The first of the months that `from` stands for; 0 where it says nothing.
int first_of_year(int from, std::int64_t months) {
  const auto period = static_cast<int>(std::min<std::int64_t>(months, kOfYear));
  return period == 1 ? 0 : (from - 1) % period + 1;
}

std::optional<std::int64_t> count_of(const Written& written) {
  std::int64_t count = 0;
  const char* const last = written.number.data() + written.number.size();
  const auto [end, error] = std::from_chars(written.number.data(), last, count);
  const std::int64_t each = months_in(written.unit);
  if (error != std::errc() || end != last || each == 0 || count < 1 || count > kMostMonths / each) return {};
  return count * each;
}

}  // namespace

const std::vector<std::string>& month_names() {
  static const std::vector<std::string> names = {"January",   "February", "March",    "April",
                                                 "May",       "June",     "July",     "August",
                                                 "September", "October",  "November", "December"};
  return names;
}

std::optional<Months> parse_months(std::string_view text) {
  const Written written = split(text);
  const std::optional<std::int64_t> count = count_of(written);
  if (!count) return {};
  const bool are_seasons = written.unit.starts_with("season");
  if (!written.has_from && !are_seasons) return Months{*count};
  if (written.has_from && are_seasons) return {};
  const int from = are_seasons ? kOfYear : number_of_month(written.from);
  if (from == 0 || !fits_into_years(*count)) return {};
  return Months{*count, first_of_year(from, *count)};
}

std::string months_problem(std::string_view text) {
  const Written written = split(text);
  double number = 0;
  const char* const last = written.number.data() + written.number.size();
  const bool is_number =
      std::from_chars(written.number.data(), last, number).ptr == last && !written.number.empty();
  if (!is_number || parse_months(text)) return "";
  if (months_in(written.unit) == 0)
    return written.has_from ? "only months and years begin with a month, such as \"3 months from March\""
                            : "";
  const std::optional<std::int64_t> count = count_of(written);
  if (!count)
    return "months and years differ in length, so only whole ones are counted, from 1 month to 9999 years; "
           "write days for another time, such as \"15 d\"";
  if (written.has_from && written.unit.starts_with("season"))
    return "seasons begin in December, March, June and September; write \"3 months from " +
           (number_of_month(written.from) > 0 ? std::string(written.from) : "February") + "\" for others";
  if (written.has_from && number_of_month(written.from) == 0)
    return "no month \"" + std::string(written.from.substr(0, 40)) + "\"" +
           did_you_mean(written.from.substr(0, 40), month_names());
  return "periods that begin in the same months each year go a whole number of times into a year, or are "
         "whole years: 1, 2, 3, 4, 6, 12 or 24 months, and so on";
}

std::string text(const Months& months) {
  std::string out = std::to_string(months.count) + (months.count == 1 ? " month" : " months");
  if (months.from > 0) out += std::string(kFrom) + month_names()[static_cast<std::size_t>(months.from) - 1];
  return out;
}

std::int64_t times_in(const Months& part, const Months& whole) {
  if (part.count == 0 || whole.count % part.count != 0) return 0;
  if (part.count == 1) return whole.count;  // months begin with each of them
  if ((part.from > 0) != (whole.from > 0)) return 0;
  const auto period = static_cast<int>(std::min<std::int64_t>(part.count, kOfYear));
  return (whole.from - part.from) % period == 0 ? whole.count / part.count : 0;
}

}  // namespace pileus
