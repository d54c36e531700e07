#include "core/calendar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <tuple>
#include <utility>

namespace pileus {
namespace {

constexpr std::int64_t kSecondsPerDay = 86400;
constexpr std::int64_t kLastYear = 9999;
constexpr std::array<int, 12> kMonthDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

const std::vector<std::pair<std::string, Calendar>>& words() {
  static const std::vector<std::pair<std::string, Calendar>> table = {
      {"standard", Calendar::standard},
      {"gregorian", Calendar::standard},
      {"proleptic_gregorian", Calendar::proleptic_gregorian},
      {"julian", Calendar::julian},
      {"noleap", Calendar::noleap},
      {"365_day", Calendar::noleap},
      {"all_leap", Calendar::all_leap},
      {"366_day", Calendar::all_leap},
      {"360_day", Calendar::day_360},
  };
  return table;
}

/// Division that rounds down, also below zero.
constexpr std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

/// Whether the Gregorian rule decides for the whole of a year; otherwise it is the Julian one.
bool is_gregorian(Calendar calendar, std::int64_t year) {
  return calendar == Calendar::proleptic_gregorian || (calendar == Calendar::standard && year > 1582);
}

bool is_leap(Calendar calendar, std::int64_t year) {
  if (calendar == Calendar::noleap || calendar == Calendar::day_360) return false;
  if (calendar == Calendar::all_leap) return true;
  if (is_gregorian(calendar, year)) return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return year % 4 == 0;
}

bool is_switch_month(Calendar calendar, std::int64_t year, int month) {
  return calendar == Calendar::standard && year == 1582 && month == 10;
}

/// The number of a month's last day: 31 also where some days are skipped.
int last_day(Calendar calendar, std::int64_t year, int month) {
  if (calendar == Calendar::day_360) return 30;
  return kMonthDays[static_cast<std::size_t>(month - 1)] + (month == 2 && is_leap(calendar, year) ? 1 : 0);
}

bool is_skipped(Calendar calendar, std::int64_t year, int month, int day) {
  return is_switch_month(calendar, year, month) && day > 4 && day < 15;
}

/// The number of days in the years 1 to year - 1; negative before year 1.
std::int64_t days_before_year(Calendar calendar, std::int64_t year) {
  const std::int64_t years = year - 1;
  if (calendar == Calendar::day_360) return 360 * years;
  if (calendar == Calendar::noleap) return 365 * years;
  if (calendar == Calendar::all_leap) return 366 * years;
  const std::int64_t julian = 365 * years + floor_divide(years, 4);
  const std::int64_t gregorian = julian - floor_divide(years, 100) + floor_divide(years, 400);
  if (calendar == Calendar::proleptic_gregorian) return gregorian;
  if (calendar == Calendar::julian || !is_gregorian(calendar, year)) return julian;
  // Years until 1582-10-04 are Julian, and the Julian 0001-01-01 is two days before the Gregorian one.
  return gregorian + 2;
}

/// Days since 0001-01-01.
std::int64_t day_number(Calendar calendar, std::int64_t year, int month, int day) {
  std::int64_t days = days_before_year(calendar, year) + day - 1;
  for (int m = 1; m < month; ++m) days += days_in_month(calendar, year, m);
  if (is_switch_month(calendar, year, month) && day >= 15) days -= 10;
  return days;
}

Date date_of(Calendar calendar, std::int64_t day_number) {
  std::int64_t year = floor_divide(day_number, calendar == Calendar::day_360 ? 360 : 366);
  while (days_before_year(calendar, year + 1) <= day_number) ++year;
  Date date{year, 1, 1, 0, 0, 0};
  std::int64_t left = day_number - days_before_year(calendar, year);
  while (left >= days_in_month(calendar, year, date.month))
    left -= days_in_month(calendar, year, date.month++);
  date.day = static_cast<int>(left) + 1;
  if (is_switch_month(calendar, year, date.month) && date.day > 4) date.day += 10;
  return date;
}

std::int64_t seconds_of_day(const Date& date) { return (date.hour * 60 + date.minute) * 60 + date.second; }

/// Takes a number of exactly so many digits off the front.
std::optional<int> take_digits(std::string_view& text, std::size_t count) {
  int value = 0;
  if (text.size() < count) return {};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + count, value);
  if (problem != std::errc() || end != text.data() + count || text.front() == '-') return {};
  text.remove_prefix(count);
  return value;
}

bool take(std::string_view& text, std::string_view one_of) {
  if (text.empty() || one_of.find(text.front()) == one_of.npos) return false;
  text.remove_prefix(1);
  return true;
}

bool parse_time_of_day(std::string_view& text, Date& date) {
  const auto hour = take_digits(text, 2);
  if (!hour || !take(text, ":")) return false;
  const auto minute = take_digits(text, 2);
  if (!minute) return false;
  std::optional<int> second = 0;
  if (take(text, ":")) second = take_digits(text, 2);
  if (!second) return false;
  std::tie(date.hour, date.minute, date.second) = std::tuple(*hour, *minute, *second);
  return true;
}

std::string formatted(const char* format, const Date& date) {
  std::array<char, 64> out{};
  std::snprintf(out.data(), out.size(), format, static_cast<long long>(date.year), date.month, date.day,
                date.hour, date.minute, date.second);
  return out.data();
}

}  // namespace

std::string_view name(Calendar calendar) {
  // The first word of each calendar is its name.
  return std::ranges::find(words(), calendar, &std::pair<std::string, Calendar>::second)->first;
}

std::optional<Calendar> parse_calendar(std::string_view word) {
  for (const auto& [known, calendar] : words()) {
    if (known == word) return calendar;
  }
  return {};
}

const std::vector<std::string>& calendar_words() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> list;
    for (const auto& [word, calendar] : words()) list.push_back(word);
    return list;
  }();
  return all;
}

int days_in_month(Calendar calendar, std::int64_t year, int month) {
  return last_day(calendar, year, month) - (is_switch_month(calendar, year, month) ? 10 : 0);
}

double mean_month_s(Calendar calendar) {
  const double year_days = calendar == Calendar::day_360    ? 360
                           : calendar == Calendar::noleap   ? 365
                           : calendar == Calendar::all_leap ? 366
                           : calendar == Calendar::julian   ? 365.25
                                                            : 365.2425;
  return year_days / 12 * kSecondsPerDay;
}

std::string date_problem(Calendar calendar, const Date& date) {
  const bool has_year_0 = calendar != Calendar::standard && calendar != Calendar::julian;
  const std::string in = " in the calendar \"" + std::string(name(calendar)) + "\"";
  if (date.year < (has_year_0 ? 0 : 1) || date.year > kLastYear)
    return "there is no year " + std::to_string(date.year) + in;
  if (date.month < 1 || date.month > 12) return "there is no month " + std::to_string(date.month);
  const bool is_day = date.day >= 1 && date.day <= last_day(calendar, date.year, date.month) &&
                      !is_skipped(calendar, date.year, date.month, date.day);
  if (!is_day) return formatted("%04lld-%02d-%02d does not exist", date) + in;
  const bool is_time = date.hour >= 0 && date.hour < 24 && date.minute >= 0 && date.minute < 60 &&
                       date.second >= 0 && date.second < 60;
  return is_time ? "" : "the time of day runs from 00:00:00 to 23:59:59";
}

std::optional<Date> parse_date(std::string_view text) {
  Date date;
  const auto year = take_digits(text, 4);
  if (!year || !take(text, "-")) return {};
  const auto month = take_digits(text, 2);
  if (!month || !take(text, "-")) return {};
  const auto day = take_digits(text, 2);
  if (!day) return {};
  std::tie(date.year, date.month, date.day) = std::tuple(*year, *month, *day);
  if (take(text, " T")) {
    if (!parse_time_of_day(text, date)) return {};
    take(text, "Z");
  }
  return text.empty() ? std::optional(date) : std::nullopt;
}

std::string text(const Date& date) { return formatted("%04lld-%02d-%02d %02d:%02d:%02d", date); }

std::string compact_text(const Date& date) { return formatted("%04lld%02d%02dT%02d%02d%02d", date); }

std::int64_t seconds_between(Calendar calendar, const Date& from, const Date& to) {
  const std::int64_t days =
      day_number(calendar, to.year, to.month, to.day) - day_number(calendar, from.year, from.month, from.day);
  return days * kSecondsPerDay + seconds_of_day(to) - seconds_of_day(from);
}

Date seconds_later(Calendar calendar, const Date& from, std::int64_t seconds) {
  const std::int64_t all = seconds_of_day(from) + seconds;
  const std::int64_t days = floor_divide(all, kSecondsPerDay);
  const auto rest = static_cast<int>(all - days * kSecondsPerDay);
  Date date = date_of(calendar, day_number(calendar, from.year, from.month, from.day) + days);
  date.hour = rest / 3600;
  date.minute = rest / 60 % 60;
  date.second = rest % 60;
  return date;
}

Date months_later(Calendar calendar, const Date& from, std::int64_t months) {
  Date date = from;
  const std::int64_t month = from.year * 12 + from.month - 1 + months;
  date.year = floor_divide(month, 12);
  date.month = static_cast<int>(month - date.year * 12) + 1;
  date.day = std::min(from.day, last_day(calendar, date.year, date.month));
  if (is_skipped(calendar, date.year, date.month, date.day)) date.day = 15;
  return date;
}

}  // namespace pileus
