#include "analytics/step_flow.h"

#include <gtest/gtest.h>

#include <set>

namespace pileus {
namespace {

StepMemory memory_of(std::size_t values) {
  StepMemory memory;
  memory.values.resize(values);
  return memory;
}

TEST(SpareMemoryTest, gives_steps_that_are_open_together_what_steps_have_given_up) {
  SpareMemory spare;
  std::set<const Sample*> places;
  for (std::size_t i = 0; i < 3; ++i) {
    StepMemory memory = memory_of(5);
    places.insert(memory.values.data());
    spare.give_back(std::move(memory));
  }

  for (std::size_t i = 0; i < 3; ++i) {
    const StepMemory memory = spare.take();
    EXPECT_EQ(places.erase(memory.values.data()), 1u) << i;
  }
  EXPECT_TRUE(spare.take().values.empty());
}

TEST(SpareMemoryTest, keeps_no_more_than_a_few) {
  SpareMemory spare;
  for (std::size_t i = 0; i < 100; ++i) spare.give_back(memory_of(5));

  std::size_t kept = 0;
  while (!spare.take().values.empty()) ++kept;

  EXPECT_EQ(kept, 4u);
}

}  // namespace
}  // namespace pileus
