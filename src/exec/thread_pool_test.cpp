#include "exec/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <latch>
#include <stdexcept>
#include <string>

#include "core/error.h"

namespace pileus {
namespace {

TEST(ThreadPool, finishes_every_task_before_it_is_destroyed) {
  std::atomic<int> done = 0;

  {
    ThreadPool pool(3);
    for (int i = 0; i < 1000; ++i) pool.submit([&done] { ++done; });
  }

  EXPECT_EQ(done, 1000);
}

TEST(ThreadPool, finishes_tasks_that_tasks_submit_while_it_is_destroyed) {
  std::atomic<int> done = 0;
  std::function<void(int)> chain;

  {
    ThreadPool pool(2);
    chain = [&](int left) {
      ++done;
      if (left > 0) pool.submit([&chain, left] { chain(left - 1); });
    };
    pool.submit([&chain] { chain(99); });
  }

  EXPECT_EQ(done, 100);
}

TEST(ThreadPool, runs_tasks_in_parallel) {
  std::latch both(2);

  {
    ThreadPool pool(2);
    // Each task ends only when the other has begun.
    for (int i = 0; i < 2; ++i) pool.submit([&both] { both.arrive_and_wait(); });
  }

  EXPECT_TRUE(both.try_wait());
}

TEST(ThreadPool, starts_each_worker_once_before_its_tasks) {
  std::atomic<int> starts = 0;
  static thread_local bool is_started = false;
  std::atomic<int> unprepared = 0;

  {
    ThreadPool pool(4, [&starts] {
      ++starts;
      is_started = true;
    });
    for (int i = 0; i < 100; ++i) pool.submit([&unprepared] { unprepared += is_started ? 0 : 1; });
  }

  EXPECT_EQ(starts, 4);
  EXPECT_EQ(unprepared, 0);
}

TEST(ThreadPool, tells_what_a_task_threw_and_goes_on) {
  std::promise<std::string> told;
  std::atomic<bool> went_on = false;

  {
    ThreadPool pool(1, {}, [&told](std::exception_ptr error) {
      try {
        std::rethrow_exception(error);
      } catch (const std::runtime_error& e) {
        told.set_value(e.what());
      }
    });
    pool.submit([] { throw std::runtime_error("no such level"); });
    pool.submit([&went_on] { went_on = true; });
  }

  EXPECT_EQ(told.get_future().get(), "no such level");
  EXPECT_TRUE(went_on);
}

TEST(ThreadPool, is_not_idle_while_a_task_runs) {
  std::promise<void> begun;
  std::promise<void> may_end;
  ThreadPool pool(1);
  EXPECT_TRUE(pool.is_idle());

  pool.submit([&] {
    begun.set_value();
    may_end.get_future().wait();
  });
  begun.get_future().wait();

  EXPECT_FALSE(pool.is_idle());
  may_end.set_value();
}

TEST(ThreadPool, is_idle_only_when_what_a_task_captured_is_gone) {
  ThreadPool pool(2);

  auto captured = std::make_shared<int>(7);
  std::weak_ptr<int> watched = captured;
  pool.submit([captured = std::move(captured)] {});
  while (!pool.is_idle()) std::this_thread::yield();

  EXPECT_TRUE(watched.expired());
}

TEST(ThreadPool, refuses_to_have_no_thread) { EXPECT_THROW(ThreadPool(0), UsageError); }

}  // namespace
}  // namespace pileus
