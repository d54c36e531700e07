#include "report/chart.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace pileus {
namespace {

TimelinePoint point(double end_s, double bytes, double busy_s) {
  TimelinePoint made;
  made.end_s = end_s;
  made.parcel_bytes = bytes;
  made.busy_s = busy_s;
  return made;
}

using Numbers = std::vector<double>;

TEST(Chart, shows_the_most_of_each_stretch_of_time) {
  // 4 stretches of 1 s: the point from 0.5 to 2.5 reaches into the first three.
  const std::vector<TimelinePoint> points = {point(0.5, 1, 0), point(2.5, 7, 0), point(4, 3, 0)};

  EXPECT_EQ(most_over_time(points, &TimelinePoint::parcel_bytes, 4), Numbers({7, 7, 7, 3}));
  EXPECT_EQ(most_over_time(points, &TimelinePoint::parcel_bytes, 1), Numbers({7}));
  EXPECT_EQ(most_over_time({}, &TimelinePoint::parcel_bytes, 2), Numbers({0, 0}));
}

TEST(Chart, shows_how_fast_a_sum_grows) {
  // It stands until 1 s, then grows by 3 in 2 s, then by 1 in 1 s.
  const std::vector<TimelinePoint> points = {point(1, 0, 0), point(3, 0, 3), point(4, 0, 4)};

  EXPECT_EQ(growth_over_time(points, &TimelinePoint::busy_s, 4), Numbers({0, 1.5, 1.5, 1}));
  EXPECT_EQ(growth_over_time(points, &TimelinePoint::busy_s, 2), Numbers({0.75, 1.25}));
}

TEST(Chart, loses_no_extreme_and_nothing_of_a_sum) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<TimelinePoint> points;
    TimelinePoint now;
    for (std::size_t i = 0, n = 1 + random() % 300; i < n; ++i) {
      now.end_s += 1e-3 * static_cast<double>(1 + random() % 1000);
      now.busy_s += 1e-3 * static_cast<double>(random() % 1000);
      now.parcel_bytes = static_cast<double>(random() % 1000);
      points.push_back(now);
    }
    const std::size_t width = 1 + random() % 100;

    const Numbers most = most_over_time(points, &TimelinePoint::parcel_bytes, width);
    const Numbers growth = growth_over_time(points, &TimelinePoint::busy_s, width);

    EXPECT_EQ(std::ranges::max(most),
              std::ranges::max(points, {}, &TimelinePoint::parcel_bytes).parcel_bytes);
    const double sum = std::accumulate(growth.begin(), growth.end(), 0.0);
    EXPECT_NEAR(sum * now.end_s / static_cast<double>(width), now.busy_s, 1e-9 * (1 + now.busy_s)) << seed;
  }
}

TEST(Chart, draws_heights_and_keeps_what_is_small_visible) {
  const Numbers values = {0, 0.001, 0.5, 1, 2};

  EXPECT_EQ(sparkline(values, 1, false), " ▁▄██");
  EXPECT_EQ(sparkline(values, 1, true), " .=##");
  EXPECT_EQ(sparkline(values, 0, true), "     ");
}

}  // namespace
}  // namespace pileus
