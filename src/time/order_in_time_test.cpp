// first, last, longest_run, difference, tendency and the times of extremes, which ask when samples come.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "time/manipulations/list.h"
#include "time/window.h"

namespace pileus {
namespace {

using Values = std::vector<double>;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kFill = 0x1.ep+122;

Array row(Values values) {
  const auto size = static_cast<Index>(values.size());
  return make_array(std::move(values), {size});
}

Values record_of(Window& window, double period_s = 10) {
  const std::optional<Array> record = window.take_record(period_s);
  if (!record) return {-999};
  const auto values = record->as<double>();
  return {values.begin(), values.end()};
}

/// Exact windows and running ones; -1 is missing in `gappy`.
class OrderInTime : public ::testing::TestWithParam<bool> {
 protected:
  static std::unique_ptr<Window> window(Manipulation one) { return make_window(one, GetParam()); }
  static std::unique_ptr<Window> gappy(Manipulation one) { return make_window(one, GetParam(), -1.0); }
};
INSTANTIATE_TEST_SUITE_P(, OrderInTime, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "exact" : "running"; });

TEST_P(OrderInTime, first_and_last_are_samples_of_some_weight) {
  const auto first = window(manipulations::first()), last = window(manipulations::last());

  for (Window* one : {first.get(), last.get()}) {
    one->add(row({-9, 9}), 0);  // stands for nothing of this window
    one->add(row({3, kNan}), 1);
    one->add(row({1, 5}), 1);
    one->add(row({2, -0.0}), 0.25);
    one->add(row({-9, 9}), 0);
  }

  const Values firsts = record_of(*first), lasts = record_of(*last);
  EXPECT_EQ(firsts[0], 3);
  EXPECT_TRUE(std::isnan(firsts[1]));
  EXPECT_EQ(lasts, (Values{2, -0.0}));
  EXPECT_TRUE(std::signbit(lasts[1]));
}

TEST_P(OrderInTime, first_and_last_are_those_that_are_there) {
  const auto first = gappy(manipulations::first()), last = gappy(manipulations::last());

  for (Window* one : {first.get(), last.get()}) {
    one->add(row({1, -1, -1}), 1);
    one->add(row({2, 5, -1}), 1);
    one->add(row({-1, 6, -1}), 1);
  }

  EXPECT_EQ(record_of(*first), (Values{1, 5, kFill}));
  EXPECT_EQ(record_of(*last), (Values{2, 6, kFill}));
}

TEST_P(OrderInTime, first_and_last_keep_the_type_of_their_samples) {
  const auto owner = std::make_shared<std::int64_t>((std::int64_t{1} << 53) + 1);
  const Array large{ElementType::int64, {1}, {owner, reinterpret_cast<const std::byte*>(owner.get())}};

  for (Manipulation one : {manipulations::first(), manipulations::last()}) {
    const auto kept = window(one);
    kept->add(large, 1);
    const std::optional<Array> record = kept->take_record();
    ASSERT_TRUE(record && record->type == ElementType::int64);
    EXPECT_EQ(record->as<std::int64_t>()[0], *owner);
  }
}

TEST_P(OrderInTime, longest_run_is_the_time_without_a_0) {
  const auto run = window(manipulations::longest_run());

  run->add(row({1, 0, kNan, 0}), 2);
  run->add(row({0, 5, 1, 0}), 3);
  run->add(row({1, 0, 0, -0.0}), 1);
  run->add(row({-7, 4, 1, 0}), 1.5);

  EXPECT_EQ(record_of(*run), (Values{2.5, 3, 5, 0}));  // 1 + 1.5 s at the end; 3 s; 2 + 3 s; never
}

TEST_P(OrderInTime, runs_end_at_the_ends_of_windows_and_where_nothing_is_known) {
  const auto run = gappy(manipulations::longest_run());

  run->add(row({1, 1, -1}), 2);
  run->add(row({1, -1, -1}), 3);
  run->add(row({1, 1, -1}), 4);
  EXPECT_EQ(record_of(*run), (Values{9, 4, kFill}));
  run->add(row({1, 1, 1}), 1);
  run->add(Absent{}, 1);
  run->add(row({1, 0, 1}), 2);
  EXPECT_EQ(record_of(*run), (Values{2, 1, 2}));
}

TEST_P(OrderInTime, difference_is_the_change_since_the_end_of_the_window_before) {
  const auto difference = window(manipulations::difference());

  difference->add(row({1, 10}), 1);
  difference->add(row({4, 8}), 1);
  EXPECT_EQ(record_of(*difference), (Values{3, -2}));  // since the first sample
  difference->add(row({100, 100}), 1);
  difference->add(row({5, 9}), 1);
  EXPECT_EQ(record_of(*difference), (Values{1, 1}));
  difference->add(Absent{}, 1);
  EXPECT_EQ(record_of(*difference), Values{-999});
  difference->add(row({3, 9}), 1);
  EXPECT_EQ(record_of(*difference), (Values{-2, 0}));
}

TEST_P(OrderInTime, difference_is_of_values_that_are_there) {
  const auto difference = gappy(manipulations::difference());

  difference->add(row({1, -1, 7}), 1);
  difference->add(row({4, -1, -1}), 1);
  EXPECT_EQ(record_of(*difference), (Values{3, kFill, 0}));
  difference->add(row({-1, 6, -1}), 1);
  EXPECT_EQ(record_of(*difference), (Values{kFill, 0, kFill}));
  difference->add(row({9, 8, 5}), 1);
  EXPECT_EQ(record_of(*difference), (Values{5, 2, -2}));
}

TEST_P(OrderInTime, difference_counts_integers_as_they_are_also_beyond_doubles) {
  const auto difference = window(manipulations::difference());
  constexpr std::int64_t kLarge = std::numeric_limits<std::int64_t>::max();

  for (const std::int64_t value : {kLarge - 5, kLarge}) {
    const auto owner = std::make_shared<std::int64_t>(value);
    difference->add(Array{ElementType::int64, {1}, {owner, reinterpret_cast<const std::byte*>(owner.get())}},
                    1);
  }

  EXPECT_EQ(record_of(*difference), Values{5});
}

TEST_P(OrderInTime, tendency_is_the_difference_for_each_second_of_the_window) {
  const auto tendency = window(manipulations::tendency());

  tendency->add(row({1, 10}), 1);
  tendency->add(row({4, 8}), 7);
  EXPECT_EQ(record_of(*tendency, 8), (Values{0.375, -0.25}));
  tendency->add(row({5, 8}), 4);
  EXPECT_EQ(record_of(*tendency, 4), (Values{0.25, 0}));
}

TEST_P(OrderInTime, times_of_extremes_are_when_they_are_reached_first) {
  const auto minimum = window(manipulations::time_of_minimum()),
             maximum = window(manipulations::time_of_maximum());

  for (Window* one : {minimum.get(), maximum.get()}) {
    one->add(row({99, -99, 1, 1}), {0, 10});  // stands for nothing of this window
    one->add(row({3, 3, 1, 0.0}), {2, 12});
    one->add(row({7, 1, kNan, -0.0}), {2, 14});
    one->add(row({7, 1, 2, 0.0}), {1, 15});
  }

  const Values smallest = record_of(*minimum), largest = record_of(*maximum);
  EXPECT_EQ(Values(smallest.begin(), smallest.begin() + 2), (Values{12, 14}));
  EXPECT_EQ(Values(largest.begin(), largest.begin() + 2), (Values{14, 12}));
  EXPECT_TRUE(std::isnan(smallest[2]) && std::isnan(largest[2]));
  EXPECT_EQ(smallest[3], 14);
  EXPECT_EQ(largest[3], 12);
}

TEST_P(OrderInTime, times_of_extremes_are_of_values_that_are_there) {
  const auto maximum = gappy(manipulations::time_of_maximum());

  maximum->add(row({-1, -2, -1}), {1, 1});
  maximum->add(row({-5, -1, -1}), {1, 2});
  maximum->add(row({-6, -3, -1}), {1, 3});

  EXPECT_EQ(record_of(*maximum), (Values{2, 1, kFill}));
}

}  // namespace
}  // namespace pileus
