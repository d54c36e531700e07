#include "exec/fiber.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace pileus {
namespace {

TEST(Fiber, goes_on_where_it_left_off) {
  std::vector<std::string> seen;
  std::unique_ptr<Fiber> fiber;
  fiber = std::make_unique<Fiber>([&] {
    for (int i = 0; i < 2; ++i) {
      seen.push_back("inside " + std::to_string(i));
      fiber->yield();
    }
  });

  while (!fiber->has_ended()) {
    fiber->resume();
    seen.push_back("outside");
  }

  const std::vector<std::string> expected = {"inside 0", "outside", "inside 1", "outside", "outside"};
  EXPECT_EQ(seen, expected);
}

TEST(Fiber, throws_to_the_one_who_resumes_it_and_has_ended) {
  Fiber fiber([] { throw std::runtime_error("lost its way"); });

  EXPECT_THROW(fiber.resume(), std::runtime_error);

  EXPECT_TRUE(fiber.has_ended());
}

TEST(Fiber, destroys_what_it_holds_when_it_ends) {
  auto held = std::make_shared<int>(1);
  std::weak_ptr<int> watched = held;
  Fiber fiber([held = std::move(held)] {});

  fiber.resume();

  EXPECT_TRUE(watched.expired());
}

TEST(Fiber, may_be_destroyed_before_it_begins) {
  bool has_run = false;

  {
    Fiber fiber([&has_run] { has_run = true; });
  }

  EXPECT_FALSE(has_run);
}

TEST(Fiber, is_abandoned_when_it_is_destroyed_in_the_middle) {
  bool is_unwound = false;
  struct Witness {
    bool& flag;
    ~Witness() { flag = true; }
  };

  {
    std::unique_ptr<Fiber> fiber;
    fiber = std::make_unique<Fiber>([&] {
      Witness witness{is_unwound};
      fiber->yield();
    });
    fiber->resume();
  }

  EXPECT_FALSE(is_unwound);
}

/// Throws number `i`, and yields while that exception is being handled.
void yield_while_handling(std::unique_ptr<Fiber>& self, int i, std::vector<std::string>& seen) {
  try {
    throw std::runtime_error("error of " + std::to_string(i));
  } catch (...) {
    self->yield();
    try {
      throw;
    } catch (const std::runtime_error& e) {
      seen.push_back(e.what());
    }
  }
}

TEST(Fiber, keeps_the_exception_that_it_handles_while_others_handle_theirs) {
  std::array<std::unique_ptr<Fiber>, 2> fibers;
  std::vector<std::string> seen;
  for (int i = 0; i < 2; ++i) {
    fibers[i] = std::make_unique<Fiber>([&, i] { yield_while_handling(fibers[i], i, seen); });
  }

  for (int i : {0, 1, 0, 1}) fibers[i]->resume();

  EXPECT_EQ(seen, (std::vector<std::string>{"error of 0", "error of 1"}));
}

int depth_reached(int depth) {
  std::array<volatile char, 1000> frame{};
  frame[depth % 1000] = 1;
  return depth == 0 ? 0 : frame[depth % 1000] + depth_reached(depth - 1);
}

TEST(Fiber, bears_deep_calls) {
  int reached = 0;
  Fiber fiber([&reached] { reached = depth_reached(200); });

  fiber.resume();

  EXPECT_EQ(reached, 200);
}

}  // namespace
}  // namespace pileus
