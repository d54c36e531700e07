#include "core/clock_values.h"

#include <algorithm>
#include <cmath>

namespace pileus {
namespace {

double with_whole_seconds(const Step& step) {
  const double whole = std::round(step.time);
  const bool is_near = std::fabs(step.time - whole) <= kBoundaryTolerance * std::max(step.length, 1.0);
  return is_near ? whole : step.time;
}

}  // namespace

const ClockDeclaration* find_clock_value(std::string_view word) {
  const auto found = std::ranges::find(kClockValues, word, &ClockDeclaration::word);
  return found == kClockValues.end() ? nullptr : &*found;
}

double clock_value(ClockValue value, const Step& step, Calendar calendar, const Date& epoch) {
  if (value == ClockValue::model_time) return step.time;
  if (value == ClockValue::step_length) return step.length;
  const double time = with_whole_seconds(step), seconds = std::floor(time);
  const Date date = seconds_later(calendar, epoch, static_cast<std::int64_t>(seconds));
  switch (value) {
    case ClockValue::hour_of_day: {
      const int of_day = (date.hour * 60 + date.minute) * 60 + date.second;
      return (of_day + (time - seconds)) / 3600;
    }
    case ClockValue::day_of_year: {
      constexpr std::int64_t kDay_s = 86400;
      const Date day{date.year, date.month, date.day};
      return static_cast<double>(1 + seconds_between(calendar, Date{date.year, 1, 1}, day) / kDay_s);
    }
    case ClockValue::month_of_year: return date.month;
    default: return static_cast<double>(date.year);
  }
}

}  // namespace pileus
