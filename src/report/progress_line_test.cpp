#include "report/progress_line.h"

#include <gtest/gtest.h>

namespace pileus {
namespace {

using namespace std::chrono_literals;

constexpr ProgressLine::Clock::time_point kBegin{};

TEST(ProgressLine, comes_after_each_period_with_the_speed_since_the_last_line) {
  ProgressLine line(10);

  EXPECT_EQ(line.at({1, 5.0, 5.0}, kBegin), std::nullopt);
  EXPECT_EQ(line.at({2, 10.0, 5.0}, kBegin + 9s), std::nullopt);
  // 25 s of model time in 10 s, then 30 s in 20 s.
  EXPECT_EQ(line.at({6, 30.0, 5.0}, kBegin + 10s), "model time 30 s, step 6; 2.5 s of model time a second");
  EXPECT_EQ(line.at({12, 60.0, 5.0}, kBegin + 30s), "model time 60 s, step 12; 1.5 s of model time a second");
}

TEST(ProgressLine, says_how_long_the_rest_takes_where_the_end_is_known) {
  ProgressLine line(10);
  line.set_end(1000);

  line.at({1, 100.0, 100.0}, kBegin);

  // 100 s of model time in 10 s, then in 100 s, then in 1000 s.
  EXPECT_EQ(line.at({2, 200.0, 100.0}, kBegin + 10s),
            "model time 200 s, step 2; 10 s of model time a second; 80 s left");
  EXPECT_EQ(line.at({3, 300.0, 100.0}, kBegin + 110s),
            "model time 300 s, step 3; 1 s of model time a second; 12 min left");  // 700 s
  EXPECT_EQ(line.at({4, 400.0, 100.0}, kBegin + 1110s),
            "model time 400 s, step 4; 0.1 s of model time a second; 1 h 40 min left");  // 6000 s
}

TEST(ProgressLine, says_nothing_of_an_end_that_is_past) {
  ProgressLine line(10);
  line.set_end(150);

  line.at({1, 100.0, 100.0}, kBegin);

  EXPECT_EQ(line.at({2, 200.0, 100.0}, kBegin + 10s),
            "model time 200 s, step 2; 10 s of model time a second");
}

TEST(ProgressLine, comes_at_most_once_a_second) {
  ProgressLine line(0.001);

  line.at({1, 5.0, 5.0}, kBegin);

  EXPECT_EQ(line.at({2, 10.0, 5.0}, kBegin + 999ms), std::nullopt);
  EXPECT_TRUE(line.at({3, 15.0, 5.0}, kBegin + 1s));
}

TEST(ProgressLine, does_not_come_where_none_is_wanted) {
  ProgressLine line(0);

  EXPECT_EQ(line.at({1, 5.0, 5.0}, kBegin), std::nullopt);
  EXPECT_EQ(line.at({2, 10.0, 5.0}, kBegin + 1000s), std::nullopt);
}

}  // namespace
}  // namespace pileus
