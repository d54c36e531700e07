#include "inputs/declared/file_axis.h"

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/error.h"

namespace pileus {
namespace {

/// Times of files are taken to the microsecond: a third of a day has no exact number.
constexpr double kPerSecond = 1e6;

/// "days since 2000-01-01 06:00:00", or "s" alone.
struct TimeUnits {
  double seconds = 0;         ///< in one unit
  std::optional<Date> since;  ///< nullopt: times count from model time 0
};

std::optional<double> seconds_in(const std::string& unit) {
  constexpr std::array<std::pair<const char*, double>, 21> kUnits = {
      {{"s", 1},       {"sec", 1},      {"secs", 1},    {"second", 1},         {"seconds", 1},
       {"min", 60},    {"mins", 60},    {"minute", 60}, {"minutes", 60},       {"h", 3600},
       {"hr", 3600},   {"hrs", 3600},   {"hour", 3600}, {"hours", 3600},       {"d", 86400},
       {"day", 86400}, {"days", 86400}, {"ms", 1e-3},   {"millisecond", 1e-3}, {"milliseconds", 1e-3},
       {"msec", 1e-3}}};
  for (const auto& [name, seconds] : kUnits) {
    if (unit == name) return seconds;
  }
  return std::nullopt;
}

/// The date without what files write behind it: fractions of a second that are 0, "UTC", "+00:00".
std::string plain_date(std::string text) {
  for (const char* end : {"UTC", "utc", "Z", "+00:00", "+0:00", "00:00 0:00"}) {
    const std::string_view suffix(end);
    if (text.size() > suffix.size() && text.ends_with(suffix) && text.find(':') < text.size() - suffix.size())
      text.resize(text.size() - suffix.size());
  }
  while (!text.empty() && text.back() == ' ') text.pop_back();
  const std::size_t point = text.find('.');
  if (point != text.npos && text.find_first_not_of('0', point + 1) == text.npos) text.resize(point);
  return text;
}

/// "1850-1-1 0:0:0" with two digits where parse_date wants them, and four for the year.
std::string padded(const std::string& text) {
  std::string out, digits;
  bool is_year = true;
  const auto flush = [&] {
    const std::size_t wanted = is_year ? 4 : 2;
    if (!digits.empty() && digits.size() < wanted) out.append(wanted - digits.size(), '0');
    out += digits;
    if (!digits.empty()) is_year = false;
    digits.clear();
  };
  for (const char c : text) {
    if (c >= '0' && c <= '9') {
      digits += c;
    } else {
      flush();
      out += c;
    }
  }
  flush();
  return out;
}

TimeUnits units_of(const std::string& text) {
  const std::size_t since = text.find(" since ");
  std::string unit = text.substr(0, since);
  for (char& c : unit) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  while (!unit.empty() && unit.back() == ' ') unit.pop_back();
  const auto seconds = seconds_in(unit);
  const std::string what = "its time has the units \"" + text + "\"";
  if (!seconds) {
    const bool has_no_length = unit.starts_with("month") || unit.starts_with("year");
    throw UsageError(what + (has_no_length ? ", and months and years have no fixed length: write it in days "
                                             "(cdo settaxis, ncap2)"
                                           : ", which are none of seconds, minutes, hours or days"));
  }
  if (since == text.npos) return {*seconds, std::nullopt};
  const std::string date = plain_date(text.substr(since + 7));
  const auto parsed = parse_date(padded(date));
  if (!parsed) throw UsageError(what + ", and \"" + date + "\" is no date such as 2000-01-01 00:00:00");
  return {*seconds, parsed};
}

Calendar calendar_of(const std::string& word) {
  if (word.empty()) return Calendar::standard;
  if (const auto calendar = parse_calendar(word)) return *calendar;
  throw UsageError("its calendar \"" + word + "\" is none of CF");
}

/// Both count days alike from the Gregorian reform on.
bool is_gregorian(Calendar calendar) {
  return calendar == Calendar::standard || calendar == Calendar::proleptic_gregorian;
}

/// Errors: UsageError where the dates of the file are none of the run's calendar.
void require_same_calendar(Calendar of_file, const Date& since, const InputClock& clock) {
  const Date reform{1582, 10, 15, 0, 0, 0};
  const bool is_modern =
      is_gregorian(of_file) && is_gregorian(clock.calendar) && since >= reform && clock.epoch >= reform;
  if (of_file == clock.calendar || is_modern) return;
  throw UsageError("its calendar is " + std::string(name(of_file)) + ", and that of the run " +
                   std::string(name(clock.calendar)) +
                   ": convert the file (cdo setcalendar, xarray's "
                   "convert_calendar), or give the run the same");
}

/// s after what the units count from.
std::vector<double> in_seconds(const std::vector<double>& numbers, double unit_s) {
  std::vector<double> seconds;
  for (const double number : numbers)
    seconds.push_back(std::round(number * unit_s * kPerSecond) / kPerSecond);
  return seconds;
}

/// Where values hold until the next one, each counts from its lower bound on, if there are bounds.
std::vector<double> instants_of(const InputHeader& header, const AxisWish& wish, double unit_s) {
  if (wish.is_linear || header.bounds.empty()) return in_seconds(header.times, unit_s);
  std::vector<double> lower;
  for (std::size_t i = 0; i < header.bounds.size(); i += 2) lower.push_back(header.bounds[i]);
  return in_seconds(lower, unit_s);
}

/// REQUIRES: the records do not come round.
double end_of(const InputHeader& header, const AxisWish& wish, const std::vector<double>& instants,
              double unit_s) {
  if (instants.empty()) return 0;
  if (wish.is_linear) return instants.back();
  if (!header.bounds.empty()) return in_seconds({header.bounds.back()}, unit_s).front();
  const std::size_t records = instants.size();
  if (records == 1) return std::numeric_limits<double>::infinity();
  return instants.back() + (instants.back() - instants[records - 2]);
}

}  // namespace

void check_axis_alone(const InputHeader& header) {
  const TimeUnits units = units_of(header.time_units);
  const Calendar calendar = calendar_of(header.calendar);
  if (!units.since) return;
  if (const std::string problem = date_problem(calendar, *units.since); !problem.empty())
    throw UsageError("its time is in \"" + header.time_units + "\": " + problem);
}

InputAxis axis_of_file(const InputHeader& header, const AxisWish& wish, const InputClock& clock) {
  check_axis_alone(header);
  const TimeUnits units = units_of(header.time_units);
  std::vector<double> instants = instants_of(header, wish, units.seconds);
  double end_s = end_of(header, wish, instants, units.seconds);
  if (!units.since) {
    if (wish.cycle.months > 0)
      throw UsageError("its time \"" + header.time_units +
                       "\" counts from no date, and the cycle is in months: "
                       "give the cycle in days, or the file units such as \"days since 2000-01-01\"");
    return {std::move(instants), end_s, wish.is_linear, wish.cycle.seconds};
  }
  if (!clock.has_epoch)
    throw UsageError("its time is in \"" + header.time_units +
                     "\", and the run has no date: <time epoch=\"2000-01-01 00:00:00\"/>, or pileus_calendar "
                     "in the model");
  require_same_calendar(calendar_of(header.calendar), *units.since, clock);
  if (wish.cycle.months > 0)
    return {std::move(instants), *units.since, wish.cycle.months, wish.is_linear, clock};
  const auto since = static_cast<double>(seconds_between(clock.calendar, clock.epoch, *units.since));
  for (double& instant : instants) instant += since;
  return {std::move(instants), end_s + since, wish.is_linear, wish.cycle.seconds};
}

}  // namespace pileus
