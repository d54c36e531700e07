#include "time/stage_periods.h"

#include <gtest/gtest.h>

#include "time/manipulations/list.h"

namespace pileus {
namespace {

constexpr double kDay = 86400;

StagePeriods periods(const Frequency& part, const Frequency& whole) {
  Schedule schedule{FileId(0), manipulations::averaged(), whole, Cadence(), "time"};
  schedule.stages.push_back({manipulations::averaged(), part});
  return StagePeriods(schedule);
}

Frequency months(std::int64_t count, int from, const Date& epoch) {
  return {Months{count, from}, Calendar::noleap, epoch};
}

/// Years from March hold quarters from March, but the first ones before the epoch are not the same.
TEST(StagePeriods, meet_where_both_begin_and_not_where_they_are_counted_from) {
  const Date epoch{2000, 1, 1};
  const StagePeriods both = periods(months(3, 3, epoch), months(12, 3, epoch));

  std::vector<double> ends;
  for (std::int64_t k = 1; k <= 10; ++k)
    if (both.ends(1, k)) ends.push_back(both.first().at(k) / kDay);
  EXPECT_EQ(ends, (std::vector<double>{59, 424, 789}));
}

TEST(StagePeriods, of_an_epoch_within_a_year_end_with_it) {
  const Date epoch{2000, 7, 1};
  const StagePeriods both = periods(months(3, 1, epoch), months(12, 1, epoch));

  EXPECT_FALSE(both.ends(1, 1));
  EXPECT_TRUE(both.ends(1, 2)) << "of two quarters";
  EXPECT_EQ(both.at(1, 2), 184 * kDay);
}

TEST(StagePeriods, of_seconds_are_divided) {
  const StagePeriods both = periods(Frequency(0.1), Frequency(0.3));

  EXPECT_FALSE(both.ends(1, 2));
  EXPECT_TRUE(both.ends(1, 3));
}

}  // namespace
}  // namespace pileus
