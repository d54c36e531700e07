#include "report/timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace pileus {
namespace {

TimelinePoint point(double end_s, double most, double so_far) {
  TimelinePoint made;
  made.end_s = end_s;
  made.parcel_bytes = most;
  made.busy_s = so_far;
  return made;
}

double most_of(const std::vector<TimelinePoint>& points, const TimelineColumn& column) {
  double most = 0;
  for (const TimelinePoint& one : points) most = std::max(most, one.*column.value);
  return most;
}

TEST(Timeline, two_points_become_the_most_of_both_and_the_sums_of_the_later) {
  const TimelinePoint both = together(point(1, 30, 0.5), point(2, 20, 0.75));

  EXPECT_EQ(both.end_s, 2);
  EXPECT_EQ(both.parcel_bytes, 30);
  EXPECT_EQ(both.busy_s, 0.75);
}

TEST(Timeline, a_full_one_halves_its_points_and_doubles_the_time_between_them) {
  Timeline timeline(4, 1);
  for (int i = 1; i <= 5; ++i) timeline.add(point(i, i == 1 ? 9 : 0, i));

  const auto& points = timeline.points();

  ASSERT_EQ(points.size(), 3U);  // to 2 s, to 4 s, to 5 s
  EXPECT_EQ(points[0].end_s, 2);
  EXPECT_EQ(points[0].parcel_bytes, 9);
  EXPECT_EQ(points[1].busy_s, 4);
  EXPECT_FALSE(timeline.is_due(6.9));
  EXPECT_TRUE(timeline.is_due(7));
}

TEST(Timeline, an_odd_point_at_the_end_stays_when_neighbours_become_one) {
  std::vector<TimelinePoint> points = {point(1, 1, 1), point(2, 5, 2), point(3, 2, 3)};

  thin(points, 2);

  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0].parcel_bytes, 5);
  EXPECT_EQ(points[1].end_s, 3);
  EXPECT_EQ(points[1].parcel_bytes, 2);
}

TEST(Timeline, what_comes_at_the_time_of_the_last_point_is_taken_into_it) {
  Timeline timeline(4, 1);
  timeline.add(point(1, 2, 0.1));

  timeline.add(point(1, 7, 0.2));

  ASSERT_EQ(timeline.points().size(), 1U);
  EXPECT_EQ(timeline.points()[0].parcel_bytes, 7);
  EXPECT_EQ(timeline.points()[0].busy_s, 0.2);
}

/// Whatever comes, however long it goes on: a bounded number, no extreme lost, times that grow, sums to the
/// end.
TEST(Timeline, keeps_its_promises_for_runs_of_any_length_and_shape) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    const std::size_t most = 2 + random() % 300;
    Timeline timeline(most, 0.01);
    std::vector<TimelinePoint> all;
    std::exponential_distribution<double> pause(1 / std::pow(10, static_cast<int>(random() % 7) - 4.0));
    TimelinePoint now;
    for (std::size_t i = 0, n = 1 + random() % 3000; i < n; ++i) {
      now.end_s += pause(random);
      for (const TimelineColumn& column : kTimelineColumns) {
        if (column.is_most) now.*column.value = static_cast<double>(random() % 1'000'000'000);
      }
      now.busy_s = now.end_s / 2;
      all.push_back(now);
      timeline.add(now);
      ASSERT_LE(timeline.points().size(), most) << seed;
    }

    std::vector<TimelinePoint> points = timeline.points();
    const std::size_t fewer = 1 + random() % most;
    for (const bool is_thinned : {false, true}) {
      if (is_thinned) thin(points, fewer);
      ASSERT_LE(points.size(), is_thinned ? fewer : most) << seed;
      for (const TimelineColumn& column : kTimelineColumns)
        ASSERT_EQ(most_of(points, column), most_of(all, column)) << seed << " " << column.name;
      ASSERT_TRUE(std::ranges::is_sorted(points, std::ranges::less(), &TimelinePoint::end_s)) << seed;
      ASSERT_EQ(std::ranges::adjacent_find(points, {}, &TimelinePoint::end_s), points.end()) << seed;
      ASSERT_EQ(points.back().end_s, all.back().end_s) << seed;
      ASSERT_EQ(points.back().busy_s, all.back().busy_s) << seed;
    }
  }
}

/// Looks as a server makes them: more often than needed, and only what is due is added.
TEST(Timeline, points_of_a_long_even_run_are_nearly_evenly_apart) {
  Timeline timeline(256, 0.01);
  for (int i = 1; i <= 1'000'000; ++i) {
    const double now_s = 0.005 * i;
    if (timeline.is_due(now_s)) timeline.add(point(now_s, 0, 0));
  }

  const auto& points = timeline.points();

  ASSERT_GT(points.size(), 100U);
  double longest_s = 0;
  for (std::size_t i = 1; i < points.size(); ++i)
    longest_s = std::max(longest_s, points[i].end_s - points[i - 1].end_s);
  EXPECT_LT(longest_s, 5'000 / 100.0);
  for (std::size_t i = 1; i + 1 < points.size(); ++i)
    EXPECT_GE(points[i].end_s - points[i - 1].end_s, 0.49 * longest_s) << i;
}

}  // namespace
}  // namespace pileus
