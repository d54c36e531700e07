#include "core/clock_values.h"

#include <gtest/gtest.h>

#include <cstddef>

namespace pileus {
namespace {

double value_at(ClockValue value, double time, Calendar calendar = Calendar::proleptic_gregorian,
                Date epoch = {2000, 1, 1}, double length = 60) {
  Step step;
  step.time = time;
  step.length = length;
  return clock_value(value, step, calendar, epoch);
}

constexpr double kDay_s = 86400;

TEST(ClockValues, stand_in_the_table_at_their_numbers) {
  for (std::size_t i = 0; i < kClockValues.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(kClockValues[i].value), i);
    EXPECT_EQ(find_clock_value(kClockValues[i].word), &kClockValues[i]);
  }
  EXPECT_EQ(find_clock_value("hour"), nullptr);
}

TEST(ClockValues, time_and_length_are_those_of_the_step) {
  EXPECT_EQ(value_at(ClockValue::model_time, 90.25), 90.25);
  EXPECT_EQ(value_at(ClockValue::step_length, 90.25), 60);
}

TEST(ClockValues, hours_count_from_midnight_with_their_fraction) {
  EXPECT_EQ(value_at(ClockValue::hour_of_day, 5400), 1.5);
  EXPECT_EQ(value_at(ClockValue::hour_of_day, kDay_s), 0);
  EXPECT_EQ(value_at(ClockValue::hour_of_day, 0, Calendar::noleap, {1850, 3, 1, 6, 30, 0}), 6.5);
  EXPECT_EQ(value_at(ClockValue::hour_of_day, 900.25), 900.25 / 3600);
}

TEST(ClockValues, a_time_that_is_rounded_below_midnight_is_midnight) {
  EXPECT_EQ(value_at(ClockValue::hour_of_day, kDay_s - 1e-9), 0);
  EXPECT_EQ(value_at(ClockValue::day_of_year, kDay_s - 1e-9), 2);
  EXPECT_EQ(value_at(ClockValue::day_of_year, kDay_s - 0.5), 1);
}

TEST(ClockValues, days_months_and_years_are_those_of_the_calendar) {
  EXPECT_EQ(value_at(ClockValue::day_of_year, 0, Calendar::standard, {2000, 12, 31}), 366);
  EXPECT_EQ(value_at(ClockValue::day_of_year, 0, Calendar::noleap, {2000, 12, 31}), 365);
  EXPECT_EQ(value_at(ClockValue::day_of_year, 0, Calendar::day_360, {2000, 12, 30}), 360);
  EXPECT_EQ(value_at(ClockValue::month_of_year, 59 * kDay_s, Calendar::noleap), 3);
  EXPECT_EQ(value_at(ClockValue::month_of_year, 59 * kDay_s), 2);  // 2000-02-29
  EXPECT_EQ(value_at(ClockValue::year, 366 * kDay_s), 2001);
}

TEST(ClockValues, times_before_the_origin_have_dates_too) {
  EXPECT_EQ(value_at(ClockValue::year, -1), 1999);
  EXPECT_EQ(value_at(ClockValue::hour_of_day, -1800), 23.5);
}

}  // namespace
}  // namespace pileus
