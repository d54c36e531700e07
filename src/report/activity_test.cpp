#include "report/activity.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace pileus {
namespace {

using std::chrono::seconds;

TEST(Gauge, keeps_the_most_that_was_ever_held) {
  Gauge gauge;

  gauge.add(3);
  gauge.add(4);
  gauge.take_away(5);
  gauge.add(1);

  EXPECT_EQ(gauge.held(), 3);
  EXPECT_EQ(gauge.most(), 7);
}

TEST(Gauge, tells_the_most_since_it_was_asked_last) {
  Gauge gauge;
  gauge.add(7);
  gauge.take_away(5);

  EXPECT_EQ(gauge.take_recent_most(), 7);
  EXPECT_EQ(gauge.take_recent_most(), 2);
  gauge.add(1);
  gauge.take_away(3);
  EXPECT_EQ(gauge.take_recent_most(), 3);
  EXPECT_EQ(gauge.take_recent_most(), 0);
  EXPECT_EQ(gauge.most(), 7);
}

TEST(Gauge, counts_right_from_many_threads) {
  Gauge gauge;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&gauge] {
      for (int i = 0; i < 10'000; ++i) {
        gauge.add(2);
        gauge.take_away(2);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(gauge.held(), 0);
  EXPECT_GE(gauge.most(), 2);
  EXPECT_LE(gauge.most(), 8);
}

/// Ends are at the real clock's time, so that what began an hour ago took an hour and a little.
TEST(Activity, counts_time_once_where_two_things_run_at_the_same_time) {
  Activity activity;
  const auto now = Activity::Clock::now();

  activity.begin(now - seconds(3600));
  activity.begin(now - seconds(1800));
  activity.end(Work::disk, now - seconds(1800));
  activity.end(Work::analysis, now - seconds(3600));

  const auto later = Activity::Clock::now();
  EXPECT_GE(activity.busy_s(later), 3600);
  EXPECT_LT(activity.busy_s(later), 5000);
  EXPECT_GE(activity.spent_s(Work::analysis), 3600);
  EXPECT_GE(activity.spent_s(Work::disk), 1800);
  EXPECT_LT(activity.spent_s(Work::disk), 3600);
  EXPECT_EQ(activity.spent_s(Work::messages), 0);
  EXPECT_EQ(activity.ended(Work::disk), 1u);
}

TEST(Activity, counts_what_still_runs_until_now) {
  Activity activity;
  const auto now = Activity::Clock::now();

  activity.begin(now - seconds(10));

  EXPECT_NEAR(activity.busy_s(now), 10, 1e-6);
}

}  // namespace
}  // namespace pileus
