// Which server owns a file, and which has a reduced value.

#include <algorithm>
#include <numeric>
#include <utility>

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

/// The owners of three files, the heaviest last, for ranks that hold so many columns of w.
std::vector<ServerRank> owners(const std::vector<Index>& columns, std::vector<ServerRank> served_by) {
  ModelBuilder model(static_cast<ClientRank>(columns.size()));
  model.dimension("z", 3).dimension("y", 400).dimension("x",
                                                        std::accumulate(columns.begin(), columns.end(), 0));
  model.field("a").field("b").field("c");
  Index first = 0;
  for (std::size_t rank = 0; rank < columns.size(); ++rank) {
    RankDescription& held = model.model.ranks[rank];
    held.fields.push_back(
        {"w", ElementType::float64, {"z", "y", "x"}, {{0, 0, first}, {3, 400, columns[rank]}}});
    first += columns[rank];
  }
  Findings findings;
  const ServerRank servers = 1 + std::ranges::max(served_by);
  const ConfigBuilder config = sums(3, {"auto", "auto", "auto"});
  const Plan plan = make_plan(config.config, model.model, servers, findings, std::move(served_by));
  EXPECT_EQ(findings.text(), "");
  return {plan.files[0].owner, plan.files[1].owner, plan.files[2].owner};
}

TEST(Owners, files_are_spread_over_servers_that_are_equal_the_heaviest_first) {
  // d0 has 1 element, d1 3, d2 1200.
  EXPECT_EQ(owners({4, 4, 4}, {0, 1, 2}), (std::vector<ServerRank>{2, 1, 0}));
  EXPECT_EQ(owners({4, 4}, {0, 1}), (std::vector<ServerRank>{1, 1, 0}));
}

TEST(Owners, a_server_of_fewer_ranks_has_the_files) {
  EXPECT_EQ(owners({40, 40, 40}, {0, 0, 1}), (std::vector<ServerRank>{1, 1, 1}));
  EXPECT_EQ(owners({40, 40, 40}, {0, 1, 1}), (std::vector<ServerRank>{0, 0, 0}));
}

TEST(Owners, files_are_spread_though_parts_are_a_little_uneven) {
  EXPECT_EQ(owners({40, 39}, {0, 1}), (std::vector<ServerRank>{1, 0, 1}));
  EXPECT_EQ(owners({39, 40}, {0, 1}), (std::vector<ServerRank>{0, 1, 0}));
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
