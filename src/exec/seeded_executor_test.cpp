#include "exec/seeded_executor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <vector>

namespace pileus {
namespace {

std::vector<int> order_of_tasks(std::uint64_t seed, int tasks) {
  SeededExecutor executor(seed);
  std::vector<int> order;
  for (int i = 0; i < tasks; ++i) executor.submit([&order, i] { order.push_back(i); });
  executor.run_until_idle();
  return order;
}

TEST(SeededRandom, gives_the_published_numbers) {
  SeededRandom random(1234567);

  // The reference implementation's first outputs for this seed (Vigna, splitmix64.c).
  EXPECT_EQ(random.next(), 6457827717110365317U);
  EXPECT_EQ(random.next(), 3203168211198807973U);
  EXPECT_EQ(random.next(), 9817491932198370423U);
}

TEST(SeededRandom, stays_below_its_limit_and_reaches_every_number) {
  SeededRandom random(5);
  std::set<std::uint64_t> seen;

  for (int i = 0; i < 1000; ++i) seen.insert(random.below(7));

  EXPECT_EQ(seen, (std::set<std::uint64_t>{0, 1, 2, 3, 4, 5, 6}));
}

TEST(SeededExecutor, runs_in_the_same_order_for_the_same_seed) {
  EXPECT_EQ(order_of_tasks(42, 50), order_of_tasks(42, 50));
  EXPECT_NE(order_of_tasks(42, 50), order_of_tasks(43, 50));
}

TEST(SeededExecutor, reaches_every_order_within_a_thousand_seeds) {
  std::set<std::vector<int>> orders;

  for (std::uint64_t seed = 0; seed < 1000; ++seed) orders.insert(order_of_tasks(seed, 4));

  EXPECT_EQ(orders.size(), 24U);  // 4!
}

TEST(SeededExecutor, runs_what_tasks_submit) {
  SeededExecutor executor(1);
  int done = 0;

  executor.submit([&] {
    ++done;
    executor.submit([&done] { ++done; });
    EXPECT_FALSE(executor.is_idle());
  });
  executor.run_until_idle();

  EXPECT_EQ(done, 2);
  EXPECT_TRUE(executor.is_idle());
  EXPECT_FALSE(executor.run_one());
}

TEST(SeededExecutor, is_not_idle_while_its_last_task_runs) {
  SeededExecutor executor(1);
  bool was_idle = true;

  executor.submit([&] { was_idle = executor.is_idle(); });
  executor.run_until_idle();

  EXPECT_FALSE(was_idle);
}

TEST(SeededExecutor, throws_what_a_task_threw_when_it_has_no_hook) {
  SeededExecutor executor(1);
  executor.submit([] { throw std::runtime_error("broken"); });

  EXPECT_THROW(executor.run_one(), std::runtime_error);

  EXPECT_TRUE(executor.is_idle());
}

TEST(SeededExecutor, gives_what_a_task_threw_to_its_hook) {
  int told = 0;
  SeededExecutor executor(1, [&told](std::exception_ptr) { ++told; });
  executor.submit([] { throw 7; });
  executor.submit([] {});

  executor.run_until_idle();

  EXPECT_EQ(told, 1);
}

}  // namespace
}  // namespace pileus
