#include "core/cadence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace pileus {
namespace {

Step step(double time, double length, std::int64_t index = 1) { return {index, time, length}; }

TEST(Cadence, of_steps_takes_multiples_and_the_state_at_the_start) {
  const Cadence fifth(5);
  EXPECT_TRUE(fifth.takes(step(0, 0, 3)));
  EXPECT_TRUE(fifth.takes(step(10, 1, 10)));
  EXPECT_FALSE(fifth.takes(step(10, 1, 9)));
  EXPECT_FALSE(Cadence(0).takes(step(10, 1, 0)));
  EXPECT_TRUE(Cadence().takes(step(10, 1, 7)));
}

TEST(Cadence, of_time_takes_the_first_step_at_or_after_each_multiple) {
  const Cadence every = Cadence::of_time(30);
  EXPECT_TRUE(every.takes(step(0, 0)));
  EXPECT_FALSE(every.takes(step(29.9, 1)));
  EXPECT_TRUE(every.takes(step(30, 0.1)));
  EXPECT_FALSE(every.takes(step(30.5, 0.5)));
  EXPECT_TRUE(every.takes(step(100, 45)));
  EXPECT_TRUE(every.takes(step(30 - 1e-9, 1)));  // the rounding of a model's clock
  EXPECT_FALSE(every.takes(step(31 - 1e-9, 1)));
  EXPECT_FALSE(every.takes(step(30.001 - 1e-9, 1e-3)));
}

/// Steps of any lengths whose times are added up with all their rounding.
TEST(Cadence, each_multiple_of_a_time_is_taken_exactly_once_whatever_the_steps) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> lengths(0.01, 2.5);
  for (const double every_s : {0.1, 1.0, 7.0, 30.0, 1800.0}) {
    const Cadence every = Cadence::of_time(every_s);
    const double fixed = every_s / 3;
    double time = 0;
    std::int64_t last = 0;
    for (int i = 0; i < 20000; ++i) {
      const double length = i % 2000 < 1000 ? fixed : lengths(random) * every_s;
      time += length;
      // The definition, with room for the clock's rounding.
      const auto passed = static_cast<std::int64_t>(std::floor(time / every_s + 1e-6));
      ASSERT_EQ(every.takes(step(time, length)), passed > last) << every_s << " " << i << " " << time;
      last = passed;
    }
  }
}

TEST(Cadence, common_steps_are_multiples_of_both) {
  EXPECT_EQ(common_cadence(4, 6), Cadence(12));
  EXPECT_EQ(common_cadence(0, 6), Cadence(0));
  EXPECT_EQ(common_cadence(INT64_MAX, INT64_MAX - 1), std::nullopt);
  EXPECT_EQ(common_cadence(1, Cadence::of_time(30)), Cadence::of_time(30));
  EXPECT_EQ(common_cadence(Cadence::of_time(20), Cadence::of_time(30)), Cadence::of_time(60));
  EXPECT_EQ(common_cadence(Cadence::of_time(0.1), Cadence::of_time(0.3)), Cadence::of_time(0.3));
  EXPECT_EQ(common_cadence(Cadence::of_time(1e-7), Cadence::of_time(30)), std::nullopt);
  EXPECT_EQ(common_cadence(5, Cadence::of_time(30)), std::nullopt);
  EXPECT_EQ(common_cadence(0, Cadence::of_time(30)), Cadence(0));
}

TEST(Cadence, says_what_it_is) {
  EXPECT_EQ(text(Cadence()), "every step");
  EXPECT_EQ(text(Cadence(5)), "every 5 steps");
  EXPECT_EQ(text(Cadence(0)), "no step");
  EXPECT_EQ(text(Cadence::of_time(30)), "the first step after each 30 s");
}

}  // namespace
}  // namespace pileus
