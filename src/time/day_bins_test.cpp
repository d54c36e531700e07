#include "time/day_bins.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "time/manipulations/list.h"
#include "time/schedule_cursor.h"

namespace pileus {
namespace {

constexpr double kDay_s = 86400, kHour_s = 3600;

std::string text(const std::vector<DayBins::Share>& shares) {
  std::string out;
  for (const DayBins::Share& share : shares)
    out += std::to_string(share.bin) + "*" + std::to_string(static_cast<int>(share.weight_s)) + " ";
  return out;
}

TEST(DayBins, share_a_time_that_crosses_their_edges) {
  const DayBins bins({24, 0});

  EXPECT_EQ(text(bins.shares(1800, 3600)), "0*1800 ");
  EXPECT_EQ(text(bins.shares(1800, 7300)), "0*1800 1*3600 2*100 ");
  EXPECT_EQ(text(bins.shares(kDay_s - 10, kDay_s + 20)), "23*10 0*20 ");
  EXPECT_EQ(text(bins.shares(-10, 0)), "23*10 ");
  EXPECT_EQ(text(bins.shares(5, 5)), "");
}

TEST(DayBins, count_from_midnight) {
  const DayBins bins({4, -kHour_s});  // model time 0 is at 01:00

  EXPECT_EQ(text(bins.shares(0, 6 * kHour_s)), "0*18000 1*3600 ");
}

TEST(DayBins, share_whole_days_equally) {
  const DayBins bins({2, 0});

  EXPECT_EQ(text(bins.shares(100, 2 * kDay_s + 200)), "0*86400 1*86400 0*100 ");
}

TEST(DayBins, have_parts_from_the_first_day_of_a_window_to_its_last) {
  const DayBins bins({2, 0});

  const std::vector<DayBins::Part> parts = bins.parts(kDay_s, 4 * kDay_s);

  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].bin, 0);
  EXPECT_EQ(parts[0].begin_s, kDay_s);
  EXPECT_EQ(parts[0].end_s, 3.5 * kDay_s);
  EXPECT_EQ(parts[0].time_s, 1.25 * kDay_s);
  EXPECT_EQ(parts[1].begin_s, 1.5 * kDay_s);
  EXPECT_EQ(parts[1].end_s, 4 * kDay_s);
}

TEST(DayBins, have_parts_that_a_short_window_cuts) {
  const DayBins bins({24, 0});

  const std::vector<DayBins::Part> parts = bins.parts(18.5 * kHour_s, 20.25 * kHour_s);

  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0].bin, 18);
  EXPECT_EQ(parts[0].begin_s, 18.5 * kHour_s);
  EXPECT_EQ(parts[0].time_s, 18.75 * kHour_s);
  EXPECT_EQ(parts[2].bin, 20);
  EXPECT_EQ(parts[2].end_s, 20.25 * kHour_s);
}

/// A composite of random steps: each record's shares are those of its bin, and times grow.
TEST(Composites, count_each_second_of_random_steps_in_its_bin) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    const std::int64_t bins = std::vector<std::int64_t>{1, 2, 8, 24, 96}[random() % 5];
    const double midnight_s = -static_cast<double>(random() % 86400);
    Schedule schedule{FileId(0), manipulations::averaged(), 2 * kDay_s, 1, "time"};
    schedule.diurnal = {bins, midnight_s};
    ScheduleCursor cursor(schedule, Frequency(6 * kDay_s), 0);
    std::map<std::int64_t, double> weights, expected;
    double last_time_s = -1, time_s = 0;
    const auto take = [&](const std::vector<SampleAction>& actions) {
      for (const SampleAction& action : actions) {
        weights[action.window] += action.weight_s;
        if (!action.ends_record) continue;
        EXPECT_GT(action.mark.time_s, last_time_s);
        EXPECT_GE(action.mark.time_s, action.mark.begin_s);
        EXPECT_LE(action.mark.time_s, action.mark.end_s);
        last_time_s = action.mark.time_s;
        EXPECT_GT(weights[action.window], 0);
        EXPECT_NEAR(weights[action.window], expected[action.window], 1e-6);
        weights.erase(action.window);
        expected.erase(action.window);
      }
    };
    // Seconds are counted before the step that brings them is taken, up to the end of the window.
    std::int64_t counted_s = 0;
    const auto count_until = [&](double end_s) {
      for (; counted_s < static_cast<std::int64_t>(end_s); ++counted_s)
        ++expected[static_cast<std::int64_t>((static_cast<double>(counted_s) - midnight_s) /
                                             (kDay_s / static_cast<double>(bins))) %
                   bins];
    };
    for (std::int64_t step = 1; time_s < 7 * kDay_s; ++step) {
      const double length_s = static_cast<double>(1 + random() % 40000);
      const double end_of_window = (std::floor(time_s / (2 * kDay_s)) + 1) * 2 * kDay_s;
      time_s += length_s;
      count_until(std::min(time_s, end_of_window));
      take(cursor.advance({step, time_s, length_s}));
      if (time_s >= end_of_window) {
        EXPECT_TRUE(time_s > end_of_window || weights.empty());
        count_until(time_s);
      }
    }
    take(cursor.finish());
    EXPECT_TRUE(weights.empty());
  }
}

TEST(Composites, belong_to_the_file_of_their_windows_end_and_go_on_from_a_checkpoint) {
  Schedule schedule{FileId(0), manipulations::maximum(), kDay_s, 1, "time"};
  schedule.diurnal = {4, 0};
  ScheduleCursor whole(schedule, Frequency(kDay_s), 0), first(schedule, Frequency(kDay_s), 0);
  std::vector<RecordMark> expected, marks;
  const auto collect = [](const std::vector<SampleAction>& actions, std::vector<RecordMark>& into) {
    for (const SampleAction& action : actions)
      if (action.ends_record) into.push_back(action.mark);
  };
  for (std::int64_t step = 1; step <= 23; ++step)
    collect(whole.advance({step, 7000.0 * static_cast<double>(step), 7000}), expected);
  collect(whole.finish(), expected);

  for (std::int64_t step = 1; step <= 10; ++step)
    collect(first.advance({step, 7000.0 * static_cast<double>(step), 7000}), marks);
  Bytes bytes;
  Encoder out(bytes);
  first.encode(out);
  ScheduleCursor second(schedule, Frequency(kDay_s), 70000);
  Decoder in(bytes);
  ASSERT_TRUE(second.restore(in));
  for (std::int64_t step = 11; step <= 23; ++step)
    collect(second.advance({step, 7000.0 * static_cast<double>(step), 7000}), marks);
  collect(second.finish(), marks);

  EXPECT_EQ(marks, expected);
  ASSERT_EQ(expected.size(), 8U);
  EXPECT_EQ(expected[3].period, 1);
  EXPECT_EQ(expected[3].record, 3);
  EXPECT_EQ(expected[4].period, 2);
}

}  // namespace
}  // namespace pileus
