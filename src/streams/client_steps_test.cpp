#include "streams/client_steps.h"

#include <gtest/gtest.h>

#include <memory>

namespace pileus {
namespace {

Step step(std::int64_t index) { return {index, static_cast<double>(index), 1}; }

SharedFacts facts_of(std::int64_t index) {
  auto facts = std::make_shared<StepFacts>();
  facts->step = step(index);
  return facts;
}

TEST(ClientSteps, are_behind_until_the_last_step_of_the_clock_has_begun) {
  ClientSteps steps(1);
  EXPECT_FALSE(steps.is_behind());

  steps.expect(facts_of(4));
  steps.expect(facts_of(5));
  EXPECT_EQ(steps.take(step(4)), "");
  EXPECT_TRUE(steps.is_behind());

  EXPECT_EQ(steps.take(step(5)), "");
  EXPECT_FALSE(steps.is_behind());
}

}  // namespace
}  // namespace pileus
