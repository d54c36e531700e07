#include "exec/strand.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "exec/seeded_executor.h"
#include "exec/thread_pool.h"

namespace pileus {
namespace {

std::vector<int> counted_to(int n) {
  std::vector<int> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

TEST(Strand, keeps_the_order_of_posting_on_many_workers) {
  constexpr int kStrands = 8;
  constexpr int kTasks = 2000;
  std::vector<std::vector<int>> seen(kStrands);  // without a lock: a race would be found by the sanitizer

  {
    ThreadPool pool(4);
    std::vector<Strand> strands;
    for (int s = 0; s < kStrands; ++s) strands.emplace_back(pool);
    for (int i = 0; i < kTasks; ++i) {
      for (int s = 0; s < kStrands; ++s) strands[s].post([&seen, s, i] { seen[s].push_back(i); });
    }
  }

  for (const auto& numbers : seen) EXPECT_EQ(numbers, counted_to(kTasks));
}

TEST(Strand, runs_one_task_at_a_time_when_many_threads_post) {
  int count = 0;

  {
    ThreadPool pool(4);
    Strand strand(pool);
    std::vector<std::jthread> posters;
    for (int p = 0; p < 4; ++p) {
      posters.emplace_back([&] {
        for (int i = 0; i < 500; ++i) strand.post([&count] { ++count; });
      });
    }
  }

  EXPECT_EQ(count, 2000);
}

TEST(Strand, lets_another_strand_run_at_the_same_time) {
  std::latch both(2);

  {
    ThreadPool pool(2);
    Strand first(pool);
    Strand second(pool);
    first.post([&both] { both.arrive_and_wait(); });
    second.post([&both] { both.arrive_and_wait(); });
  }

  EXPECT_TRUE(both.try_wait());
}

TEST(Strand, lets_others_come_in_between_when_it_has_many_tasks) {
  int done = 0;
  int done_when_the_other_ran = -1;
  std::latch all_posted(1);

  {
    ThreadPool pool(1);
    Strand busy(pool);
    Strand other(pool);
    pool.submit([&all_posted] { all_posted.wait(); });
    for (int i = 0; i < 1000; ++i) busy.post([&done] { ++done; });
    other.post([&] { done_when_the_other_ran = done; });
    all_posted.count_down();
  }

  EXPECT_EQ(done, 1000);
  EXPECT_LT(done_when_the_other_ran, 1000);
}

TEST(Strand, goes_on_after_a_task_that_throws) {
  std::string told;
  SeededExecutor executor(1, [&told](std::exception_ptr error) {
    try {
      std::rethrow_exception(error);
    } catch (const std::runtime_error& e) {
      told = e.what();
    }
  });
  Strand strand(executor);
  std::vector<int> seen;

  strand.post([&seen] { seen.push_back(0); });
  strand.post([] { throw std::runtime_error("poisoned"); });
  strand.post([&seen] { seen.push_back(1); });
  executor.run_until_idle();

  EXPECT_EQ(seen, counted_to(2));
  EXPECT_EQ(told, "poisoned");
  EXPECT_TRUE(strand.is_idle());
}

TEST(Strand, runs_a_task_that_a_task_of_it_posts_after_those_that_wait) {
  SeededExecutor executor(1);
  Strand strand(executor);
  std::vector<int> seen;

  strand.post([&] {
    seen.push_back(0);
    strand.post([&seen] { seen.push_back(2); });
  });
  strand.post([&seen] { seen.push_back(1); });
  EXPECT_FALSE(strand.is_idle());
  executor.run_until_idle();

  EXPECT_EQ(seen, counted_to(3));
  EXPECT_TRUE(strand.is_idle());
}

TEST(Strand, may_be_destroyed_while_its_tasks_wait) {
  SeededExecutor executor(1);
  std::vector<int> seen;

  {
    Strand strand(executor);
    for (int i = 0; i < 100; ++i) strand.post([&seen, i] { seen.push_back(i); });
  }
  executor.run_until_idle();

  EXPECT_EQ(seen, counted_to(100));
}

}  // namespace
}  // namespace pileus
