#include "serve/polled_executor.h"

#include <gtest/gtest.h>

#include <string>

namespace pileus {
namespace {

TEST(PolledExecutor, runs_tasks_in_order_one_for_each_poll) {
  PolledExecutor executor;
  std::string ran;
  for (const char* name : {"a", "b", "c"}) executor.submit([&ran, name] { ran += name; });

  EXPECT_TRUE(executor.run_one());
  EXPECT_EQ(ran, "a");
  EXPECT_FALSE(executor.is_idle());
  while (executor.run_one()) {
  }
  EXPECT_EQ(ran, "abc");
  EXPECT_TRUE(executor.is_idle());
  EXPECT_FALSE(executor.run_one());
}

TEST(PolledExecutor, goes_on_after_a_task_that_throws) {
  PolledExecutor executor;
  bool has_run = false;
  executor.submit([] { throw 1; });
  executor.submit([&] { has_run = true; });

  EXPECT_ANY_THROW(executor.run_one());

  EXPECT_TRUE(executor.run_one());
  EXPECT_TRUE(has_run);
  EXPECT_TRUE(executor.is_idle());
}

TEST(PolledExecutor, does_not_begin_a_task_within_another) {
  PolledExecutor executor;
  bool was_begun = true, was_idle = true;
  executor.submit([&] {
    executor.submit([] {});
    was_begun = executor.run_one();
    was_idle = executor.is_idle();
  });

  executor.run_one();

  EXPECT_FALSE(was_begun);
  EXPECT_FALSE(was_idle);
  EXPECT_TRUE(executor.run_one());
}

}  // namespace
}  // namespace pileus
