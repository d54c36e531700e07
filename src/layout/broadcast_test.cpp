#include "layout/test_config.h"

namespace pileus {
namespace {

using namespace planning_test;

/// A field w on two ranks, a dt that both have, and files to write to.
class Fixture {
 public:
  Fixture() : model(2) {
    model.dimension("z", 4).dimension("y", 6).field("dt").distributed("w", {"z", "y"});
    config.group("g");
    config.field("w", "z,y", true);
    config.field("dt");
    config.config.catalogue.communications.emplace_back(
        "allreduction", "", std::vector<ParameterDeclaration>{}, RuleKind::allreduction);
    config.config.catalogue.communications.emplace_back("broadcast", "", std::vector<ParameterDeclaration>{},
                                                        RuleKind::broadcast);
    config.file("f.nc");
  }

  RuleConfig& allreduction(const std::string& word, const std::string& field, const std::string& result) {
    RuleConfig& rule = config.rule(true, "allreduction", result);
    rule.parameters = {{"operator", config.text(word)}, {"field", config.text(field)}};
    return rule;
  }
  RuleConfig& broadcast(const std::string& field, const std::string& result) {
    RuleConfig& rule = config.rule(true, "broadcast", result);
    rule.parameters = {{"field", config.text(field)}};
    return rule;
  }
  /// The variance of w, computed by hand and written as "variance".
  void variance() {
    config.diagnostic("variance");
    config.localreduce("mean", "w", "local");
    allreduction("mean", "local", "mean");
    config.arithmetic("(w - mean)^2", "squares");
    config.localreduce("mean", "squares", "squares_local");
    config.reduction("mean", "squares_local", "variance");
    config.include("variance");
  }

  ConfigBuilder config;
  ModelBuilder model;
};

TEST(Broadcasts, an_allreduced_value_is_the_same_everywhere_and_goes_with_distributed_ones) {
  Fixture fixture;
  fixture.variance();

  const Planned planned = plan_of(fixture.config, fixture.model, 2);

  EXPECT_EQ(planned.findings.text(), "");
  ASSERT_EQ(planned.plan.distributions.size(), 1U);
  const Rule& broadcast = planned.plan[planned.plan.distributions[0].broadcasts.at(0)];
  EXPECT_EQ(planned.plan[broadcast.output].spread, Spread::same);
  EXPECT_TRUE(planned.plan[broadcast.output].is_everywhere);
  EXPECT_EQ(planned.plan[broadcast.inputs[0]].spread, Spread::rooted);
  // The local mean of the squares computes them itself, from w and the mean that came back.
  std::vector<Spread> spreads;
  for (const Rule& rule : planned.plan.rules) {
    const auto* reduce = std::get_if<LocalReduce>(&rule.action);
    if (reduce == nullptr || !reduce->computed) continue;
    spreads.push_back(reduce->computed->value.spread);
    EXPECT_EQ(rule.inputs.size(), 2U);
    EXPECT_EQ(rule.inputs.back(), broadcast.output);
  }
  EXPECT_EQ(spreads, std::vector<Spread>{Spread::distributed});
}

TEST(Broadcasts, communications_that_wait_for_others_are_of_a_later_stage) {
  Fixture fixture;
  fixture.variance();

  const Planned planned = plan_of(fixture.config, fixture.model, 1);

  // The mean is reduced at stage 0 and sent at stage 1; the squares are reduced after both.
  ASSERT_EQ(planned.plan.trees.size(), 2U);
  EXPECT_EQ(planned.plan.trees[0].stage, 0);
  EXPECT_EQ(planned.plan.distributions.at(0).stage, 1);
  EXPECT_EQ(planned.plan.trees[1].stage, 2);
}

TEST(Broadcasts, a_reduction_and_an_allreduction_of_one_value_are_one_reduction) {
  Fixture fixture;
  fixture.variance();
  fixture.config.diagnostic("w_mean");
  fixture.config.localreduce("mean", "w", "here");
  fixture.config.reduction("mean", "here", "w_mean");
  fixture.config.include("w_mean");

  const Planned planned = plan_of(fixture.config, fixture.model, 2);

  EXPECT_EQ(planned.findings.text(), "");
  std::size_t reductions = 0;
  for (const Rule& rule : planned.plan.rules) reductions += std::holds_alternative<Communicate>(rule.action);
  EXPECT_EQ(reductions, 2U);
}

TEST(Broadcasts, what_was_computed_on_a_root_can_be_sent_to_all) {
  Fixture fixture;
  fixture.config.diagnostic("anomaly");
  fixture.config.localreduce("mean", "w", "local");
  fixture.config.reduction("mean", "local", "mean");
  fixture.config.arithmetic("mean^2", "square");
  fixture.broadcast("square", "everywhere");
  fixture.config.arithmetic("w - everywhere", "anomaly");
  fixture.config.include("anomaly");

  const Planned planned = plan_of(fixture.config, fixture.model, 3);

  EXPECT_EQ(planned.findings.text(), "");
  EXPECT_EQ(value_of(planned.plan, "anomaly").spread, Spread::distributed);
  EXPECT_EQ(planned.plan.distributions.size(), 1U);
}

TEST(Broadcasts, a_value_that_only_a_file_needs_goes_to_one_rank) {
  Fixture fixture;
  fixture.config.diagnostic("w_mean");
  fixture.config.localreduce("mean", "w", "local");
  fixture.allreduction("mean", "local", "w_mean");
  fixture.config.include("w_mean");

  const Planned planned = plan_of(fixture.config, fixture.model, 2);

  EXPECT_EQ(planned.findings.text(), "");
  EXPECT_EQ(value_of(planned.plan, "w_mean").spread, Spread::same);
  EXPECT_FALSE(value_of(planned.plan, "w_mean").is_everywhere);
}

TEST(Broadcasts, only_what_a_reduction_has_made_can_be_sent_to_all) {
  Fixture fixture;
  fixture.config.diagnostic("d");
  const Location where = fixture.broadcast("w", "d").parameters.at("field").where;
  fixture.config.include("d");

  expect_only_error(checked(fixture.config), where, "field \"w\" is not on one server: broadcast takes what");
}

TEST(Broadcasts, a_value_that_is_everywhere_cannot_be_reduced_again) {
  Fixture fixture;
  fixture.config.diagnostic("d");
  fixture.config.localreduce("mean", "w", "local");
  fixture.allreduction("mean", "local", "mean");
  const Location where = fixture.config.reduction("sum", "mean", "d").parameters.at("field").where;
  fixture.config.include("d");

  expect_only_error(checked(fixture.config), where,
                    "is already reduced: it is one value, the same everywhere");
}

TEST(Broadcasts, values_that_no_file_holds_are_reduced_on_servers_in_turn) {
  Fixture fixture;
  fixture.config.diagnostic("d");
  for (const char* word : {"min", "max", "sum"}) {
    const std::string name = word;
    fixture.config.localreduce(name, "w", name + "_local");
    fixture.allreduction(name, name + "_local", name);
  }
  fixture.config.arithmetic("w*min*max*sum", "d");
  fixture.config.include("d");

  const Planned planned = plan_of(fixture.config, fixture.model, 3);

  std::vector<ServerRank> roots;
  for (const Tree& tree : planned.plan.trees) roots.push_back(tree.root);
  EXPECT_EQ(roots, (std::vector<ServerRank>{0, 1, 2}));
}

}  // namespace
}  // namespace pileus
