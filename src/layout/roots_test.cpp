// Which server owns a file, and which has a reduced value.

#include "layout/testing/grouped_fields.h"

namespace pileus {
namespace {

using namespace planning_test;

/// `count` sums of w, each in its own file.
ConfigBuilder sums(int count, const std::vector<std::string>& roots) {
  ConfigBuilder config = with_groups();
  for (int i = 0; i < count; ++i) {
    const std::string name = "d" + std::to_string(i);
    config.diagnostic(name);
    config.localreduce("sum", "w", "l", i == 0 ? "z,y,x" : i == 1 ? "y,x" : "x");
    config.reduction("sum", "l", name, roots[static_cast<std::size_t>(i)]);
    config.file(name + ".nc");
    config.include(name);
  }
  return config;
}

TEST(Owners, heavy_files_are_spread_over_the_servers) {
  // d0 has 1 element, d1 3, d2 12. The heaviest file goes to server 0, the next to 1, the last to 2.
  const Plan plan = plan_of(sums(3, {"auto", "auto", "auto"}), model_of_groups(), 3).plan;

  EXPECT_EQ(plan.files[2].owner, 0U);
  EXPECT_EQ(plan.files[1].owner, 1U);
  EXPECT_EQ(plan.files[0].owner, 2U);
}

TEST(Roots, an_automatic_root_is_the_owner_of_the_file) {
  const Plan plan = plan_of(sums(3, {"auto", "auto", "auto"}), model_of_groups(), 3).plan;

  for (const Variable& variable : plan.variables) {
    EXPECT_EQ(plan[variable.value].root, plan[variable.file].owner) << variable.name;
  }
  ASSERT_EQ(plan.trees.size(), 3U);
  for (ServerRank server = 0; server < 3; ++server) EXPECT_EQ(plan.trees[server].root, server);
}

TEST(Roots, an_explicit_root_is_taken) {
  const Planned planned = plan_of(sums(3, {"1", "auto", "1"}), model_of_groups(), 3);

  EXPECT_EQ(planned.findings.text(), "");
  EXPECT_EQ(value_of(planned.plan, "d0").root, 1U);
  EXPECT_EQ(value_of(planned.plan, "d2").root, 1U);
}

TEST(Roots, a_root_that_does_not_exist_is_replaced_with_a_warning) {
  const ConfigBuilder config = sums(1, {"7"});

  const Planned planned = plan_of(config, model_of_groups(), 3);

  expect_finding(planned.findings, Severity::warning,
                 config.config.diagnostics[0].rules[1].parameters.at("root").where,
                 "there is no server 7, only 0 to 2; server 1 takes its place");
  EXPECT_EQ(value_of(planned.plan, "d0").root, 1U);
}

TEST(Roots, values_that_meet_in_a_rule_are_on_one_server) {
  ConfigBuilder config = sums(3, {"auto", "auto", "2"});
  config.diagnostic("both");
  config.arithmetic("d1*d2", "both");
  config.file("both.nc");
  config.include("both");

  const Plan plan = plan_of(config, model_of_groups(), 3).plan;

  EXPECT_EQ(value_of(plan, "d1").root, 2U);
  EXPECT_EQ(value_of(plan, "d2").root, 2U);
  EXPECT_EQ(value_of(plan, "both").root, 2U);
  EXPECT_EQ(value_of(plan, "d0").root, plan.files[0].owner);
}

TEST(Roots, a_value_in_two_files_is_on_the_owner_of_the_first) {
  ConfigBuilder config = sums(2, {"auto", "auto"});
  config.file("again.nc");
  config.include("d0", "averaged");

  const Plan plan = plan_of(config, model_of_groups(), 3).plan;

  EXPECT_EQ(value_of(plan, "d0").root, plan.files[0].owner);
}

TEST(Roots, every_server_makes_the_same_plan) {
  const ConfigBuilder config = sums(3, {"auto", "2", "auto"});
  const Plan a = plan_of(config, model_of_groups(), 3).plan, b = plan_of(config, model_of_groups(), 3).plan;

  ASSERT_EQ(a.rules.size(), b.rules.size());
  for (std::size_t i = 0; i < a.rules.size(); ++i) {
    EXPECT_EQ(a.rules[i].inputs, b.rules[i].inputs);
    EXPECT_EQ(a.rules[i].output, b.rules[i].output);
    EXPECT_EQ(a[a.rules[i].output].root, b[b.rules[i].output].root);
  }
}

}  // namespace
}  // namespace pileus
