#include "inputs/declared/file_axis.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"

namespace pileus {
namespace {

constexpr double kDay = 86400;
const InputClock kNone;
const InputClock kModern{Calendar::proleptic_gregorian, {2000, 1, 1, 0, 0, 0}, true};

InputHeader header(const std::string& units, std::vector<double> times, const std::string& calendar = "") {
  InputHeader header;
  header.has_time = true;
  header.time = "time";
  header.time_units = units;
  header.calendar = calendar;
  header.times = std::move(times);
  return header;
}

std::string problem(const InputHeader& header, const AxisWish& wish, const InputClock& clock) {
  try {
    (void)axis_of_file(header, wish, clock);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(FileAxis, plain_units_count_from_model_time_0) {
  EXPECT_EQ(axis_of_file(header("hours", {0, 6}), {}, kNone).time_s(1), 21600);
  EXPECT_EQ(axis_of_file(header("s", {0, 6}), {}, kNone).time_s(1), 6);
}

TEST(FileAxis, dates_become_seconds_after_the_epoch_of_the_run) {
  for (const char* units :
       {"days since 2000-01-02", "days since 2000-1-2 0:0:0", "Days since 2000-01-02 00:00:0.0",
        "d since 2000-01-02T00:00:00Z", "days since 2000-01-02 00:00:00 UTC"})
    EXPECT_EQ(axis_of_file(header(units, {0, 1}), {}, kModern).time_s(1), 2 * kDay) << units;
}

TEST(FileAxis, fractions_of_a_day_are_whole_microseconds) {
  const InputAxis axis = axis_of_file(header("days since 2000-01-01", {1.0 / 24, 1.0 / 3, 3.7}), {}, kModern);

  EXPECT_EQ(axis.time_s(0), 3600);
  EXPECT_EQ(axis.time_s(1), 28800);
  EXPECT_EQ(axis.time_s(2), 319680);
}

TEST(FileAxis, the_calendar_of_the_file_counts_its_days) {
  const InputClock noleap{Calendar::noleap, {2000, 1, 1, 0, 0, 0}, true};

  EXPECT_EQ(axis_of_file(header("days since 1999-01-01", {0}, "365_day"), {}, noleap).time_s(0), -365 * kDay);
  EXPECT_EQ(axis_of_file(header("days since 1999-01-01", {0}, "gregorian"), {}, kModern).time_s(0),
            -365 * kDay);
  EXPECT_NE(problem(header("days since 1999-01-01", {0}), {}, noleap)
                .find("its calendar is standard, and that of "
                      "the run noleap"),
            std::string::npos);
  EXPECT_NE(problem(header("days since 0001-01-01", {0}), {}, kModern), "");  // they differ before the reform
  EXPECT_NE(problem(header("days since 1999-01-01", {0}, "martian"), {}, kModern), "");
}

TEST(FileAxis, without_interpolation_bounds_say_from_when_a_record_counts) {
  InputHeader months = header("days since 2000-01-01", {15.5, 45.5});
  months.bounds = {0, 31, 31, 60};

  const InputAxis holding = axis_of_file(months, {false, {}}, kModern),
                  linear = axis_of_file(months, {}, kModern);

  EXPECT_EQ(holding.at(30.9 * kDay).first, 0);
  EXPECT_EQ(holding.at(31 * kDay).first, 1);
  EXPECT_EQ(holding.coverage(), "model time 0 s to 5184000 s");
  EXPECT_EQ(linear.coverage(), "model time 1339200 s to 3931200 s");
}

TEST(FileAxis, without_bounds_the_last_record_lasts_as_long_as_the_one_before) {
  EXPECT_EQ(axis_of_file(header("s", {0, 10, 30}), {false, {}}, kNone).coverage(), "model time 0 s to 50 s");
  EXPECT_EQ(axis_of_file(header("s", {3}), {false, {}}, kNone).coverage(),
            "all times from model time 3 s on");
}

TEST(FileAxis, a_climatology_comes_round_by_months) {
  const InputHeader year = header("days since 0001-01-01", {15, 200}, "noleap");
  const InputClock noleap{Calendar::noleap, {1850, 1, 1, 0, 0, 0}, true};

  const InputAxis axis = axis_of_file(year, {true, {0, 12}}, noleap);

  EXPECT_EQ(axis.in_file(axis.at(15 * kDay).first), 0);
  EXPECT_EQ(axis.at(15 * kDay).weight, 0);
  EXPECT_EQ(axis.in_file(axis.at((365 * 7 + 200) * kDay).first), 1);
}

TEST(FileAxis, what_cannot_be_a_time_is_told) {
  EXPECT_NE(problem(header("months since 2000-01-01", {0}), {}, kModern).find("no fixed length"),
            std::string::npos);
  EXPECT_NE(problem(header("furlongs", {0}), {}, kModern).find("none of seconds"), std::string::npos);
  EXPECT_NE(problem(header("days since yesterday", {0}), {}, kModern).find("is no date"), std::string::npos);
  EXPECT_NE(problem(header("days since 2000-02-30", {0}), {}, kModern), "");
  EXPECT_NE(problem(header("days since 2000-01-01", {0}), {}, kNone).find("the run has no date"),
            std::string::npos);
  EXPECT_NE(problem(header("days", {0}), {true, {0, 12}}, kModern).find("counts from no date"),
            std::string::npos);
  EXPECT_NE(problem(header("s", {0, NAN}), {}, kNone).find("time 1 is missing"), std::string::npos);
  EXPECT_NE(problem(header("s", {1, 0}), {}, kNone).find("do not rise"), std::string::npos);
}

}  // namespace
}  // namespace pileus
