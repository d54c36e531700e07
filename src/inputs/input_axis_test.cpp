#include "inputs/input_axis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <span>

#include "core/error.h"

namespace pileus {
namespace {

constexpr double kDay = 86400;
constexpr double kForEver = std::numeric_limits<double>::infinity();

InputAxis again(const InputAxis& axis) {
  Bytes bytes;
  Encoder out(bytes);
  axis.encode(out);
  Decoder in(bytes);
  InputAxis decoded = InputAxis::decode(in);
  EXPECT_TRUE(in.is_at_end());
  return decoded;
}

std::string problem_at(const InputAxis& axis, double time_s) {
  try {
    (void)axis.at(time_s);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

/// Twelve months of a year of 365 days, each at its middle.
InputAxis monthly(Calendar calendar, const Date& epoch) {
  std::vector<double> instants;
  double begin = 0;
  for (int month = 1; month <= 12; ++month) {
    const double days = days_in_month(Calendar::noleap, 1, month);
    instants.push_back((begin + days / 2) * kDay);
    begin += days;
  }
  return {instants, {1, 1, 1, 0, 0, 0}, 12, true, {calendar, epoch, true}};
}

TEST(InputAxis, values_that_do_not_change_are_one_record_at_all_times) {
  const InputAxis axis = again({});

  EXPECT_TRUE(axis.is_static());
  EXPECT_EQ(axis.at(-1e9).first, 0);
  EXPECT_EQ(axis.at(1e9).last(), 0);
}

TEST(InputAxis, a_time_between_two_records_is_made_of_both) {
  const InputAxis axis = again({{0, 100, 300}, 300, true});

  const InputBracket bracket = axis.at(150);

  EXPECT_EQ(bracket.first, 1);
  EXPECT_EQ(bracket.last(), 2);
  EXPECT_EQ(bracket.weight, 0.25);
  EXPECT_EQ(axis.at(100).last(), 1);  // of it alone
  EXPECT_EQ(axis.at(300).first, 2);
  EXPECT_EQ(axis.at(300).last(), 2);
}

TEST(InputAxis, times_out_of_the_file_are_told_with_what_it_covers) {
  const InputAxis axis({0, 100, 300}, 300, true);

  EXPECT_EQ(problem_at(axis, 301), "the file covers model time 0 s to 300 s and not 301 s");
  EXPECT_EQ(problem_at(axis, -1), "the file covers model time 0 s to 300 s and not -1 s");
  EXPECT_EQ(problem_at(axis, NAN), "the time is no number");
  EXPECT_EQ(axis.at(300.0000001).first, 2);  // the rounding of a clock
  EXPECT_EQ(axis.at(-0.0000001).first, 0);
}

TEST(InputAxis, without_interpolation_a_record_holds_until_the_next) {
  const InputAxis axis = again({{0, 100, 300}, 500, false});

  for (const auto& [time_s, record] :
       {std::pair(0.0, 0), {99.9, 0}, {100.0, 1}, {99.9999999, 1}, {499.9, 2}}) {
    EXPECT_EQ(axis.at(time_s).first, record) << time_s;
    EXPECT_EQ(axis.at(time_s).weight, 0);
  }
  EXPECT_NE(problem_at(axis, 501), "");
  EXPECT_EQ(InputAxis({7}, kForEver, false).at(1e12).first, 0);
}

TEST(InputAxis, a_cycle_of_seconds_comes_round_both_ways) {
  const InputAxis axis = again({{0, 6, 18}, 18, true, 24});

  EXPECT_EQ(axis.at(24 * 5 + 6).first, 16);
  EXPECT_EQ(axis.in_file(16), 1);
  EXPECT_EQ(axis.time_s(16), 126);
  const InputBracket last = axis.at(24 * 5 + 21);  // half way from the last to the first of the next
  EXPECT_EQ(last.first, 17);
  EXPECT_EQ(last.weight, 0.5);
  EXPECT_EQ(axis.in_file(last.last()), 0);
  EXPECT_EQ(axis.at(-3).first, -1);
  EXPECT_EQ(axis.in_file(-1), 2);
  EXPECT_EQ(axis.at(-3).weight, 0.5);
}

TEST(InputAxis, a_climatology_follows_the_calendar_of_the_run) {
  const InputAxis axis = again(monthly(Calendar::standard, {2019, 12, 31, 0, 0, 0}));

  // 16 January 2020 at noon is 16.5 days after the epoch, that of 2021 366 days later.
  const InputBracket in_2020 = axis.at(16.5 * kDay), in_2021 = axis.at((366 + 16.5) * kDay);
  EXPECT_EQ(in_2020.weight, 0);
  EXPECT_EQ(axis.in_file(in_2020.first), 0);
  EXPECT_EQ(in_2021.first, in_2020.first + 12);
  // 31 December at 0 h is 14.5 days after the middle of December, and that of January 31 days.
  const InputBracket end_of_year = axis.at((365 + 1) * kDay);
  EXPECT_EQ(axis.in_file(end_of_year.first), 11);
  EXPECT_EQ(end_of_year.weight, 14.5 / 31);
}

TEST(InputAxis, months_that_are_days_of_a_leap_year_stay_in_order) {
  std::vector<double> instants;
  for (int day = 0; day < 366; ++day) instants.push_back(day * kDay);
  const InputAxis axis(instants, {2000, 1, 1, 0, 0, 0}, 12, true,
                       {Calendar::standard, {2001, 1, 1, 0, 0, 0}, true});

  for (double day = 0; day < 800; day += 0.25) {
    const InputBracket bracket = axis.at(day * kDay);
    ASSERT_LE(axis.time_s(bracket.first), day * kDay);
    ASSERT_GT(axis.time_s(bracket.first + 1), day * kDay);
    ASSERT_GE(bracket.weight, 0);
    ASSERT_LT(bracket.weight, 1);
  }
}

TEST(InputAxis, months_come_round_in_the_first_year_of_a_calendar_too) {
  for (const Calendar calendar : {Calendar::noleap, Calendar::standard, Calendar::day_360}) {
    std::vector<double> instants;
    for (int month = 0; month < 12; ++month) instants.push_back((15 + 30 * month) * kDay);
    const InputAxis axis(instants, {2000, 1, 1, 0, 0, 0}, 12, true, {calendar, {1, 1, 1, 0, 0, 0}, true});

    for (const double day : {0.0, 14.0, 200.0, 364.0, 400.0}) {
      const InputBracket bracket = axis.at(day * kDay);
      EXPECT_LE(axis.time_s(bracket.first), day * kDay);
      EXPECT_GT(axis.time_s(bracket.first + 1), day * kDay);
    }
    EXPECT_EQ(axis.in_file(axis.at(0).first), 11);
  }
}

TEST(InputAxis, records_that_do_not_rise_or_outlast_their_cycle_are_refused) {
  EXPECT_THROW(InputAxis({}, 0, true), UsageError);
  EXPECT_THROW(InputAxis({0, 0}, 0, true), UsageError);
  EXPECT_THROW(InputAxis({0, NAN}, 0, true), UsageError);
  EXPECT_THROW(InputAxis({0, 24}, 24, true, 24), UsageError);
  EXPECT_THROW(InputAxis({0, 366 * kDay}, {2001, 1, 1, 0, 0, 0}, 12, true, {}), UsageError);
}

TEST(InputAxis, a_message_that_holds_none_is_told) {
  Bytes bytes;
  Encoder out(bytes);
  InputAxis({0, 1}, 1, true).encode(out);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Decoder in{std::span<const std::byte>(bytes).first(size)};
    EXPECT_THROW((void)InputAxis::decode(in), TransportError);
  }
}

}  // namespace
}  // namespace pileus
