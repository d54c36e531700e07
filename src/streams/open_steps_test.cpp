#include "streams/open_steps.h"

#include <gtest/gtest.h>

namespace pileus {
namespace {

TEST(OpenSteps, are_done_in_order_when_nobody_holds_them) {
  OpenSteps steps;
  StepHold first = steps.open(3), second = steps.open(7);

  second.reset();
  EXPECT_EQ(steps.done(), 0U);  // the one before it is not
  first.reset();
  EXPECT_EQ(steps.done(), 2U);
  EXPECT_EQ(steps.opened(), 2U);
}

TEST(OpenSteps, are_held_by_parcels_that_came_before_the_clock_and_after_it) {
  OpenSteps steps;
  StepHold early = steps.hold(5);
  StepHold clock = steps.open(5), late = steps.hold(5);

  clock.reset();
  late.reset();
  EXPECT_EQ(steps.done(), 0U);
  early.reset();
  EXPECT_EQ(steps.done(), 1U);
}

TEST(OpenSteps, give_no_hold_for_what_the_clock_left_out_or_is_done_with) {
  OpenSteps steps;
  StepHold one = steps.open(1);
  const StepHold three = steps.open(3);
  const StepHold never = steps.hold(2);
  one.reset();

  EXPECT_EQ(never, nullptr);
  EXPECT_EQ(steps.done(), 1U);
  EXPECT_EQ(steps.hold(1), nullptr);
  EXPECT_NE(steps.hold(3), nullptr);
}

}  // namespace
}  // namespace pileus
