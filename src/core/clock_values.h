#pragma once
// What a step's clock says, as values of equations and expressions: each is declared once. Rules, servers,
// pileus check and the reference take it from here.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/calendar.h"
#include "core/step.h"

namespace pileus {

enum class ClockValue : std::uint8_t {
  model_time,
  step_length,
  hour_of_day,
  day_of_year,
  month_of_year,
  year
};

struct ClockDeclaration {
  ClockValue value;
  std::string_view word, units, help;
  bool needs_date;  ///< of model time 0
};

inline constexpr std::array<ClockDeclaration, 6> kClockValues = {{
    {ClockValue::model_time, "model_time", "s", "the time at the end of the step, from the run's origin",
     false},
    {ClockValue::step_length, "step_length", "s", "the length of the step", false},
    {ClockValue::hour_of_day, "hour_of_day", "h", "hours since midnight, with their fraction", true},
    {ClockValue::day_of_year, "day_of_year", "d", "the number of the day, from 1", true},
    {ClockValue::month_of_year, "month_of_year", "1", "the number of the month, from 1", true},
    {ClockValue::year, "year", "1", "the year of the calendar", true},
}};

/// Null if the clock says nothing of this name.
const ClockDeclaration* find_clock_value(std::string_view word);
inline const ClockDeclaration& declaration_of(ClockValue value) {
  return kClockValues[static_cast<std::size_t>(value)];
}

/// What the clock says at the end of a step. `epoch`: the date of model time 0. A time within the step's
/// tolerance of a whole second is that second, so that midnight is not 23:59:59 of the day before.
double clock_value(ClockValue value, const Step& step, Calendar calendar, const Date& epoch);

}  // namespace pileus
