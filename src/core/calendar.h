#pragma once
// The six calendars of CF: which dates exist, how far apart they are, and which date is a number of seconds
// after another. Plan and output use it to name model times as dates. It is pure arithmetic on whole days,
// without leap seconds or time zones. Source: CF conventions 1.11, section 4.4.1.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pileus {

enum class Calendar : std::uint8_t {
  standard,             ///< Julian until 1582-10-04, then Gregorian from 1582-10-15
  proleptic_gregorian,  ///< Gregorian at all times
  julian,
  noleap,    ///< 365 days a year
  all_leap,  ///< 366 days a year
  day_360    ///< 12 months of 30 days
};

/// The word of the CF conventions: "standard", "proleptic_gregorian", "julian", "noleap", "all_leap",
/// "360_day".
std::string_view name(Calendar calendar);
/// The calendar that CF calls by this word. It also takes the synonyms "gregorian", "365_day" and "366_day".
std::optional<Calendar> parse_calendar(std::string_view word);
inline bool is_known(Calendar calendar) { return calendar <= Calendar::day_360; }
/// Every word that parse_calendar takes.
const std::vector<std::string>& calendar_words();

struct Date {
  std::int64_t year = 1;
  int month = 1, day = 1;  ///< from 1
  int hour = 0, minute = 0, second = 0;
  friend auto operator<=>(const Date&, const Date&) = default;
};

/// The number of days in a month; October 1582 of `standard` has 21. REQUIRES: 1 <= month <= 12.
int days_in_month(Calendar calendar, std::int64_t year, int month);
/// Mean length of a month in seconds over all years; for `standard`, over the Gregorian years.
double mean_month_s(Calendar calendar);
/// What is wrong with the date, "" if it exists. Years run from 1 (`standard` and `julian`) or 0 to 9999.
std::string date_problem(Calendar calendar, const Date& date);

/// Reads "2000-01-01", "2000-01-01 00:00:00" or "2000-01-01T00:00:00Z", with the seconds or all of the time
/// left out. It checks only the form, and returns nullopt for any other.
std::optional<Date> parse_date(std::string_view text);
/// "2000-01-01 00:00:00"
std::string text(const Date& date);
/// "20000101T000000", for names of files that sort in the order of time.
std::string compact_text(const Date& date);

// REQUIRES of all functions below: the dates exist.

std::int64_t seconds_between(Calendar calendar, const Date& from, const Date& to);
Date seconds_later(Calendar calendar, const Date& from, std::int64_t seconds);
/// The same day and time so many months later. If that month has no such day, it is the month's last day;
/// where `standard` skips the day, it is the first day after the gap.
Date months_later(Calendar calendar, const Date& from, std::int64_t months);

}  // namespace pileus
