#include "server/needed_state.h"

#include <gtest/gtest.h>

#include "analytics/testing/handmade_plan.h"

namespace pileus::testing {
namespace {

/// Two ranks with a server each; each has four of eight elements of w, which a file has.
class NeededState : public ::testing::Test {
 protected:
  NeededState() : hand(2, 2) {
    const DimensionId x = hand.dimension("x", 8);
    const GroupId group = hand.group("state");
    const ValueId w = hand.field(group, "w", Spread::distributed, {x});
    hand.hold(0, w, {{0}, {4}});
    hand.hold(1, w, {{4}, {4}});
    const ValueId same = hand.field(group, "same", Spread::same, {x});
    hand.plan.files.emplace_back().name = "a.nc";
    add_variable("w", w);
    add_variable("same", same);
  }
  void add_variable(const char* name, ValueId value) {
    Variable& variable = hand.plan.variables.emplace_back();
    variable.name = name;
    variable.file = FileId(0);
    variable.value = value;
  }
  static bool is_needed(const StateFilter& filter, const char* kind, const char* key, const Region& region) {
    return filter({kind, key, region, {}});
  }
  HandmadePlan hand;
};

TEST_F(NeededState, leaves_out_windows_of_elements_that_others_have) {
  const StateFilter filter = state_needed_on(hand.plan, 1);

  EXPECT_FALSE(is_needed(filter, "window", "a.nc\nw", {{0}, {4}}));
  EXPECT_TRUE(is_needed(filter, "window", "a.nc\nw", {{4}, {4}}));
  EXPECT_TRUE(is_needed(filter, "window", "a.nc\nw", {{3}, {2}}));
  EXPECT_FALSE(is_needed(filter, "window", "a.nc\nw", {{5}, {0}}));
}

TEST_F(NeededState, keeps_everything_else) {
  const StateFilter filter = state_needed_on(hand.plan, 1);

  EXPECT_TRUE(is_needed(filter, "axis", "a.nc\nw", {{0}, {4}}));
  EXPECT_TRUE(is_needed(filter, "window", "a.nc\nsame", {{0}, {8}}));
  EXPECT_TRUE(is_needed(filter, "window", "a.nc\nof another run", {{0}, {4}}));
  EXPECT_TRUE(is_needed(filter, "window", "a.nc\nw", {{0, 0}, {4, 1}})) << "who takes it says what is wrong";
}

}  // namespace
}  // namespace pileus::testing
