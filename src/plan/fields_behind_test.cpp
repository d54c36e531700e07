#include "plan/fields_behind.h"

#include "layout/test_config.h"

namespace pileus {
namespace {

using namespace planning_test;

/// Five fields: "d" is made from a sum over w and from u, and "p" is written as it is.
Plan plan_of_two() {
  ConfigBuilder config;
  config.group("raw");
  for (const char* name : {"w", "u", "p", "a", "b"}) config.field(name, "y,x", true);
  config.diagnostic("d");
  config.localreduce("sum", "w", "local");
  config.reduction("sum", "local", "d");
  config.diagnostic("all");
  config.arithmetic("w + u + p + a + b", "all");
  config.file("f.nc");
  for (const char* name : {"d", "p", "all"}) config.include(name, "averaged");
  ModelBuilder model(2);
  model.dimension("y", 4).dimension("x", 6);
  for (const char* name : {"w", "u", "p", "a", "b"}) model.distributed(name, {"y", "x"});
  return plan_of(config, model).plan;
}

std::string behind(const Plan& plan, const std::string& variable) {
  for (const Variable& one : plan.variables) {
    if (one.name == variable) return fields_behind(plan, {one.value});
  }
  return "no such variable";
}

TEST(FieldsBehind, are_those_that_a_value_is_made_of_through_all_its_rules) {
  const Plan plan = plan_of_two();

  EXPECT_EQ(behind(plan, "p"), "p");
  EXPECT_EQ(behind(plan, "d"), "w");
  ASSERT_EQ(plan.trees.size(), 1u);
  EXPECT_EQ(fields_behind(plan, plan.trees[0]), "w");
}

TEST(FieldsBehind, are_named_up_to_four) { EXPECT_EQ(behind(plan_of_two(), "all"), "w, u, p, a and 1 more"); }

}  // namespace
}  // namespace pileus
