#include "core/step.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pileus {
namespace {

TEST(Boundaries, lie_at_multiples_of_the_period) {
  const Boundaries every_ten(10);

  EXPECT_EQ(every_ten.last_at_or_before(25, 1), 2);
  EXPECT_EQ(every_ten.first_at_or_after(25, 1), 3);
  EXPECT_EQ(every_ten.last_at_or_before(20, 1), 2);
  EXPECT_EQ(every_ten.first_at_or_after(20, 1), 2);
  EXPECT_EQ(every_ten.at(-3), -30);
}

TEST(Boundaries, take_in_times_that_are_a_millionth_of_a_step_away) {
  const Boundaries every_ten(10);
  const double inside = 0.9e-6, outside = 1.1e-6;

  EXPECT_EQ(every_ten.last_at_or_before(20 - inside, 1), 2);
  EXPECT_EQ(every_ten.last_at_or_before(20 - outside, 1), 1);
  EXPECT_EQ(every_ten.first_at_or_after(20 + inside, 1), 2);
  EXPECT_EQ(every_ten.first_at_or_after(20 + outside, 1), 3);
  EXPECT_EQ(every_ten.snapped(20 - inside, 1), 20);
  EXPECT_EQ(every_ten.snapped(20 + inside, 1), 20);
  EXPECT_EQ(every_ten.snapped(20 + outside, 1), 20 + outside);
  EXPECT_EQ(every_ten.snapped(20 - outside, 1), 20 - outside);
}

TEST(Boundaries, do_not_move_with_the_side_from_which_a_time_comes) {
  const Boundaries every_ten(10);

  EXPECT_EQ(every_ten.last_at_or_before(20 + 0.9e-6, 1), 2);
  EXPECT_EQ(every_ten.first_at_or_after(20 - 0.9e-6, 1), 2);
}

TEST(Boundaries, are_met_once_each_by_a_thousand_steps_of_a_tenth) {
  const Boundaries every_tenth(0.1);
  double time = 0;
  for (int step = 1; step <= 1000; ++step) {
    time += 0.1;  // 1000 roundings: 99.9999999999986 in the end

    ASSERT_EQ(every_tenth.last_at_or_before(time, 0.1), step);
    ASSERT_EQ(every_tenth.first_at_or_after(time, 0.1), step);
    ASSERT_EQ(every_tenth.snapped(time, 0.1), every_tenth.at(step));
  }
}

TEST(Boundaries, go_on_before_the_origin) {
  const Boundaries every_ten(10);

  EXPECT_EQ(every_ten.last_at_or_before(-25, 1), -3);
  EXPECT_EQ(every_ten.first_at_or_after(-25, 1), -2);
  EXPECT_EQ(every_ten.last_at_or_before(-1e-7, 1), 0);
  EXPECT_EQ(every_ten.first_at_or_after(1e-7, 1), 0);
  EXPECT_EQ(every_ten.snapped(-20.0000001, 1), -20);
}

TEST(Boundaries, hold_on_both_sides_of_huge_times) {
  // Times where a double resolves 0.002 s; periods whose multiples are exact and periods whose multiples are
  // not.
  for (double period : {1.0, 0.1, 1.0 / 3, 3600.0}) {
    const Boundaries boundaries(period);
    for (double time : {1e13, 1e13 + 0.5, -1e13, 123456789012.345}) {
      const std::int64_t last = boundaries.last_at_or_before(time, 1);
      const std::int64_t first = boundaries.first_at_or_after(time, 1);

      EXPECT_LE(boundaries.at(last), time + 1e-6);
      EXPECT_GT(boundaries.at(last + 1), time + 1e-6);
      EXPECT_GE(boundaries.at(first), time - 1e-6);
      EXPECT_LT(boundaries.at(first - 1), time - 1e-6);
    }
  }
}

TEST(Boundaries, are_exact_where_the_step_has_no_length) {
  const Boundaries every_ten(10);

  EXPECT_EQ(every_ten.last_at_or_before(std::nextafter(20.0, 0), 0), 1);
  EXPECT_EQ(every_ten.last_at_or_before(20, 0), 2);
}

TEST(Frequency, of_one_month_is_said_as_one) {
  const Date epoch{2000, 1, 1};
  EXPECT_EQ(text(Frequency(1, Calendar::standard, epoch)), "1 month from 2000-01-01 00:00:00 (standard)");
  EXPECT_EQ(text(Frequency(2, Calendar::standard, epoch)), "2 months from 2000-01-01 00:00:00 (standard)");
}

Boundaries months(std::int64_t count, Calendar calendar, const Date& epoch) {
  return Boundaries(Frequency(count, calendar, epoch));
}

TEST(BoundariesOfMonths, lie_at_the_starts_of_months_of_each_calendar) {
  // cftime's seconds from 1899-12-15 12:00 to the first of 1899-09, 1899-12, 1900-03, 1900-06 and 1902-12.
  const std::vector<std::pair<Calendar, std::vector<double>>> expected = {
      {Calendar::standard, {-9115200, -1252800, 6523200, 14472000, 93355200}},
      {Calendar::proleptic_gregorian, {-9115200, -1252800, 6523200, 14472000, 93355200}},
      {Calendar::julian, {-9115200, -1252800, 6609600, 14558400, 93441600}},
      {Calendar::noleap, {-9115200, -1252800, 6523200, 14472000, 93355200}},
      {Calendar::all_leap, {-9115200, -1252800, 6609600, 14558400, 93614400}},
      {Calendar::day_360, {-9028800, -1252800, 6523200, 14299200, 92059200}},
  };
  for (const auto& [calendar, seconds] : expected) {
    const Boundaries quarters = months(3, calendar, {1899, 12, 15, 12, 0, 0});
    const std::vector<double> found = {quarters.at(-1), quarters.at(0), quarters.at(1), quarters.at(2),
                                       quarters.at(12)};

    EXPECT_EQ(found, seconds) << name(calendar);
  }
}

TEST(BoundariesOfMonths, are_found_from_both_sides_of_each_in_a_thousand_years) {
  for (int word = 0; word < 6; ++word) {
    const auto calendar = static_cast<Calendar>(word);
    for (std::int64_t count : {1, 5, 12}) {
      const Boundaries boundaries = months(count, calendar, {1312, 2, 27, 1, 2, 3});
      for (std::int64_t k = -300; k < 12000; k += k < 20 ? 1 : 17) {
        const double at = boundaries.at(k);
        ASSERT_EQ(boundaries.last_at_or_before(at, 0), k) << name(calendar);
        ASSERT_EQ(boundaries.first_at_or_after(at, 0), k) << name(calendar);
        ASSERT_EQ(boundaries.last_at_or_before(at - 1, 0), k - 1) << name(calendar);
        ASSERT_EQ(boundaries.first_at_or_after(at + 1, 0), k + 1) << name(calendar);
        ASSERT_LT(at, boundaries.at(k + 1));
      }
    }
  }
}

TEST(BoundariesOfMonths, skip_the_days_that_october_1582_lacks) {
  const Boundaries monthly = months(1, Calendar::standard, {1582, 9, 1});

  EXPECT_EQ(monthly.at(1), 30 * 86400);
  EXPECT_EQ(monthly.at(2), (30 + 21) * 86400);
}

TEST(BoundariesOfMonths, take_in_times_that_are_a_millionth_of_a_step_away) {
  const Boundaries monthly = months(1, Calendar::day_360, {2000, 1, 1});
  const double end = 30 * 86400, day = 86400;

  EXPECT_EQ(monthly.last_at_or_before(end - 0.08, day), 1);
  EXPECT_EQ(monthly.last_at_or_before(end - 0.09, day), 0);
  EXPECT_EQ(monthly.snapped(end + 0.08, day), end);
  EXPECT_EQ(monthly.snapped(end + 0.09, day), end + 0.09);
}

TEST(BoundariesOfMonths, end_for_times_beyond_all_calendars) {
  const Boundaries monthly = months(1, Calendar::standard, {2000, 1, 1});

  for (double time : {1e15, 1e300, -1e300}) {
    EXPECT_EQ(monthly.at(monthly.last_at_or_before(time, 1) + 1) > 0, time > 0) << time;
    EXPECT_EQ(monthly.at(monthly.first_at_or_after(time, 1) - 1) > 0, time > 0) << time;
  }
}

}  // namespace
}  // namespace pileus
