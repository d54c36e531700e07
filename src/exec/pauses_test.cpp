#include "exec/pauses.h"

#include <gtest/gtest.h>

#include <vector>

namespace pileus {
namespace {

TEST(Pauses, tasks_run_in_a_poll_when_their_time_has_come_the_earliest_first) {
  Pauses::Clock::time_point now;
  Pauses pauses([&] { return now; });
  std::vector<int> ran;
  pauses.after(2, [&] { ran.push_back(2); });
  pauses.after(1, [&] { ran.push_back(1); });

  EXPECT_FALSE(pauses.poll());
  now += std::chrono::seconds(5);
  EXPECT_FALSE(pauses.is_idle());
  EXPECT_TRUE(pauses.poll());

  EXPECT_EQ(ran, (std::vector<int>{1, 2}));
  EXPECT_TRUE(pauses.is_idle());
  EXPECT_FALSE(pauses.poll());
}

TEST(Pauses, a_task_may_ask_for_another_pause) {
  Pauses::Clock::time_point now;
  Pauses pauses([&] { return now; });
  int ran = 0;
  pauses.after(1, [&] {
    ++ran;
    pauses.after(0, [&] { ++ran; });
  });

  now += std::chrono::seconds(1);
  pauses.poll();
  EXPECT_EQ(ran, 1);
  pauses.poll();

  EXPECT_EQ(ran, 2);
}

}  // namespace
}  // namespace pileus
