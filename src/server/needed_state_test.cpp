#include "server/needed_state.h"

#include <gtest/gtest.h>

#include "analytics/testing/handmade_plan.h"
#include "checkpoint/kept_statics.h"

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
    const ValueId mask = hand.field(group, "mask", Spread::distributed, {x});
    hand.hold(0, mask, {{0}, {4}});
    hand.hold(1, mask, {{4}, {4}});
    hand.plan.fields[2].is_static = true;
    const ValueId mean = hand.field(group, "mean", Spread::rooted, {x});
    hand.plan.values[mean.index].root = 1;
    PlannedFile& file = hand.plan.files.emplace_back();
    file.name = "a.nc";
    file.owner = 1;
    add_variable("w", w);
    add_variable("same", same);
    add_variable("mean", mean);
    Variable& constant = hand.plan.statics.emplace_back();
    constant.name = "mask";
    constant.file = FileId(0);
  }
  void add_variable(const char* name, ValueId value) {
    Variable& variable = hand.plan.variables.emplace_back();
    variable.name = name;
    variable.file = FileId(0);
    variable.value = value;
  }
  static bool is_needed(const StateFilter& filter, const char* kind, const char* key, const Region& region) {
    return filter({kind, key}, region) != Wanted::nothing;
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

TEST_F(NeededState, has_other_windows_where_they_are_made) {
  const StateFilter first = state_needed_on(hand.plan, 0), second = state_needed_on(hand.plan, 1);

  EXPECT_TRUE(is_needed(first, "window", "a.nc\nsame", {{0}, {8}}));
  EXPECT_FALSE(is_needed(second, "window", "a.nc\nsame", {{0}, {8}}));
  EXPECT_FALSE(is_needed(first, "window", "a.nc\nmean", {}));
  EXPECT_TRUE(is_needed(second, "window", "a.nc\nmean", {}));
}

TEST_F(NeededState, has_all_windows_of_a_variable_with_several) {
  const StateFilter first = state_needed_on(hand.plan, 0), second = state_needed_on(hand.plan, 1);

  EXPECT_TRUE(is_needed(first, "window", "a.nc\nw\n2", {{0}, {4}}));
  EXPECT_FALSE(is_needed(second, "window", "a.nc\nw\n2", {{0}, {4}}));
  EXPECT_TRUE(is_needed(second, "window", "a.nc\nmean\n1", {}));
}

TEST_F(NeededState, has_static_fields_of_its_ranks_and_static_variables_of_its_files) {
  const StateFilter first = state_needed_on(hand.plan, 0), second = state_needed_on(hand.plan, 1);
  const std::string key = static_name(hand.plan, hand.plan.fields[2]).second;

  EXPECT_TRUE(is_needed(first, "static", key.c_str(), {{0}, {4}}));
  EXPECT_FALSE(is_needed(first, "static", key.c_str(), {{4}, {4}}));
  EXPECT_FALSE(is_needed(first, "static", "of another shape", {{0}, {4}}));
  EXPECT_FALSE(is_needed(first, "static variable", "a.nc\nmask", {}));
  EXPECT_TRUE(is_needed(second, "static variable", "a.nc\nmask", {}));
}

TEST_F(NeededState, is_everything_of_other_kinds) {
  const StateFilter filter = state_needed_on(hand.plan, 1);

  EXPECT_TRUE(is_needed(filter, "axis", "a.nc\nw", {{0}, {4}}));
  EXPECT_FALSE(is_needed(filter, "window", "a.nc\nof another run", {{0}, {4}}));
  EXPECT_TRUE(is_needed(filter, "window", "a.nc\nw", {{0, 0}, {4, 1}})) << "who takes it says what is wrong";
}

}  // namespace
}  // namespace pileus::testing
