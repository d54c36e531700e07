#include "joint/common_times.h"

#include <gtest/gtest.h>

namespace pileus {
namespace {

using Timelines = std::vector<std::vector<double>>;

std::vector<double> times_of(const Timelines& timelines) {
  std::vector<double> times;
  for (const CommonTime& one : common_times(timelines)) times.push_back(one.time_s);
  return times;
}

TEST(CommonTimes, are_those_that_all_have) {
  const std::vector<CommonTime> common = common_times(Timelines{{2, 4, 6, 8, 10, 12}, {3, 6, 9, 12}});

  ASSERT_EQ(common.size(), 2);
  EXPECT_EQ(common[0].time_s, 6);
  EXPECT_EQ(common[0].records, (std::vector<std::size_t>{2, 1}));
  EXPECT_EQ(common[1].records, (std::vector<std::size_t>{5, 3}));
}

TEST(CommonTimes, of_one_timeline_are_its_own_and_of_none_there_are_none) {
  EXPECT_EQ(times_of({{0, 1.5}}), (std::vector<double>{0, 1.5}));
  EXPECT_TRUE(times_of({}).empty());
  EXPECT_TRUE(times_of({{1, 2}, {}}).empty());
  EXPECT_TRUE(times_of({{1, 3}, {2, 4}}).empty());
}

TEST(CommonTimes, bear_the_rounding_of_sums_of_steps) {
  double sum = 0;
  std::vector<double> sums, products;
  for (int step = 1; step <= 1000; ++step) {
    sums.push_back(sum += 0.1);
    products.push_back(step * 0.1);
  }

  EXPECT_EQ(times_of({products, sums}), products);
  EXPECT_FALSE(is_same_time(1, 1.000001));
  EXPECT_TRUE(is_same_time(1e12, 1e12 + 0.0001));
}

TEST(FirstLength, is_that_of_the_second_and_begins_no_earlier_than_time_0) {
  const auto length = [](std::vector<double> times) { return first_length(common_times(Timelines{times})); };

  EXPECT_EQ(length({1e6, 1e6 + 6, 1e6 + 13}), 6);
  EXPECT_EQ(length({2, 8}), 2);
  EXPECT_EQ(length({0, 6}), 0);
  EXPECT_EQ(length({6}), 6);
  EXPECT_EQ(length({}), 0);
  EXPECT_EQ(length({-5, -2}), 3);
  EXPECT_EQ(length({-5}), 0);
}

}  // namespace
}  // namespace pileus
