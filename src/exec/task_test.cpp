#include "exec/task.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <vector>

namespace pileus {
namespace {

/// Counts how many of it exist, wherever they were moved to.
class Counted {
 public:
  explicit Counted(int& alive) : alive_(&alive) { ++*alive_; }
  Counted(Counted&& other) noexcept : alive_(other.alive_) { ++*alive_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  Counted& operator=(Counted&&) = delete;
  ~Counted() { --*alive_; }

 private:
  int* alive_;
};

TEST(Task, runs_a_closure_that_cannot_be_copied) {
  int seen = 0;
  Task task = [owned = std::make_unique<int>(7), &seen] { seen = *owned; };

  task();

  EXPECT_EQ(seen, 7);
}

TEST(Task, is_empty_until_it_is_given_a_closure_and_after_it_was_moved_from) {
  Task task;
  EXPECT_FALSE(task);
  task = [] {};
  EXPECT_TRUE(task);

  const Task other = std::move(task);

  EXPECT_FALSE(task);  // NOLINT(bugprone-use-after-move): that is the question
  EXPECT_TRUE(other);
}

TEST(Task, destroys_what_it_holds_once_wherever_it_was_moved_to) {
  int alive = 0;
  {
    Task task = [counted = Counted(alive)] {};
    std::vector<Task> tasks;
    tasks.push_back(std::move(task));
    for (int i = 0; i < 9; ++i) tasks.emplace_back([counted = Counted(alive)] {});  // moves all when it grows
    EXPECT_EQ(alive, 10);
    tasks.front() = Task();
    EXPECT_EQ(alive, 9);
    tasks.back() = std::move(tasks.front());
    EXPECT_EQ(alive, 8);
  }
  EXPECT_EQ(alive, 0);
}

TEST(Task, holds_closures_that_are_too_large_for_it) {
  int alive = 0;
  std::array<int, 100> numbers{};
  numbers[99] = 5;
  int seen = 0;
  {
    Task task = [numbers, counted = Counted(alive), &seen] { seen = numbers[99]; };
    Task other = std::move(task);
    EXPECT_EQ(alive, 1);
    other();
  }
  EXPECT_EQ(seen, 5);
  EXPECT_EQ(alive, 0);
}

TEST(Task, throws_what_its_closure_throws_and_can_be_destroyed_then) {
  int alive = 0;
  {
    Task task = [counted = Counted(alive)] { throw std::runtime_error("no"); };
    EXPECT_THROW(task(), std::runtime_error);
  }
  EXPECT_EQ(alive, 0);
}

TEST(Task, assigned_to_itself_stays_as_it_is) {
  int runs = 0;
  Task task = [&runs] { ++runs; };
  Task& same = task;

  task = std::move(same);
  task();

  EXPECT_EQ(runs, 1);
}

}  // namespace
}  // namespace pileus
