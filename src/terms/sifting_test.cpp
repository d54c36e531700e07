// What the plan makes of a rule that says what model ranks pick of their parts: it knows none by its name.

#include "layout/test_config.h"

namespace pileus {
namespace {

using namespace planning_test;
using operators::Prepared;

void pick_all(const PickedFrom& elements, std::span<double> picked) {
  std::ranges::copy(elements.numbers, picked.begin());
}

/// Picks the least and the greatest value, which `how` has no part in.
Sifting ends(const operators::Rule& rule) {
  if (rule.text("how") == "never") throw operators::ParameterError("how", "never is no way");
  return {{std::make_shared<const Pick>(Pick{"ends", Reduction::min, pick_all}),
           std::make_shared<const Pick>(Pick{"ends", Reduction::max, pick_all})},
          "K"};
}

Prepared one_number(const operators::Rule&) {
  Prepared prepared;
  prepared.compute = [](const auto&, const auto&) {};
  return prepared;
}

class Sifted : public ::testing::Test {
 protected:
  Sifted() : model_(2) {
    model_.dimension("z", 4).dimension("y", 6).distributed("w", {"z", "y"}).field("level", {"z"});
    config_.group("g");
    config_.field("w", "z,y", true);
    config_.field("level", "z");
    operators::Operator ends_of{"ends",
                                "",
                                {{"field", ParameterKind::name, true},
                                 {"value", ParameterKind::name, false},
                                 {"dimensions", ParameterKind::names, false},
                                 {"how", ParameterKind::text, false, "well"}},
                                one_number};
    config_.config.catalogue.operators.emplace_back(std::move(ends_of), ends);
    config_.file("f.nc");
  }

  RuleConfig& sift(const std::string& result, std::vector<std::pair<std::string, std::string>> parameters) {
    config_.diagnostic(result);
    RuleConfig& rule = config_.rule(false, "ends", result);
    for (const auto& [name, value] : parameters) rule.parameters[name] = config_.text(value);
    config_.include(result);
    return rule;
  }

  /// How many rules of the plan do this.
  template <class Action>
  static std::ptrdiff_t count(const Plan& plan) {
    return std::ranges::count_if(
        plan.rules, [](const Rule& rule) { return std::holds_alternative<Action>(rule.action); });
  }

  ConfigBuilder config_;
  ModelBuilder model_;
};

TEST_F(Sifted, each_pick_travels_and_one_server_makes_the_result_of_all) {
  sift("a", {{"field", "w"}, {"how", "well"}});

  const Plan plan = plan_of(config_, model_).plan;

  EXPECT_EQ(count<SiftPart>(plan), 2);
  EXPECT_EQ(count<Communicate>(plan), 2);
  const Rule& made = plan[value_of(plan, "a").rule];
  ASSERT_TRUE(std::holds_alternative<Apply>(made.action));
  ASSERT_EQ(made.inputs.size(), 2U);
  EXPECT_EQ(plan.reduction_of(made.inputs[0]), Reduction::min);
  EXPECT_EQ(plan.reduction_of(made.inputs[1]), Reduction::max);
  EXPECT_EQ(value_of(plan, "a").spread, Spread::rooted);
  EXPECT_EQ(text_of(plan.variables[0].attributes, "units"), "K");
}

TEST_F(Sifted, rules_that_pick_the_same_share_it) {
  sift("a", {{"field", "w"}, {"how", "well"}});
  sift("b", {{"field", "w"}, {"how", "badly"}});

  const Plan plan = plan_of(config_, model_).plan;

  EXPECT_EQ(count<Apply>(plan), 2);
  EXPECT_EQ(count<SiftPart>(plan), 2);
}

TEST_F(Sifted, it_reduces_over_the_dimensions_that_it_names) {
  sift("a", {{"field", "w"}, {"how", "well"}, {"dimensions", "y"}});

  const Plan plan = plan_of(config_, model_).plan;

  const auto picked = std::ranges::find_if(
      plan.rules, [](const Rule& rule) { return std::holds_alternative<SiftPart>(rule.action); });
  ASSERT_NE(picked, plan.rules.end());
  EXPECT_EQ(std::get<SiftPart>(picked->action).axes, (std::vector<int>{1}));
}

TEST_F(Sifted, a_parameter_that_it_refuses_is_an_error_there) {
  const Location where = sift("a", {{"field", "w"}, {"how", "never"}}).parameters.at("how").where;

  expect_only_error(plan_of(config_, model_).findings, where, "how: never is no way");
}

TEST_F(Sifted, what_no_rank_holds_a_part_of_is_an_error) {
  const Location where = sift("a", {{"field", "level"}, {"how", "well"}}).parameters.at("field").where;

  expect_only_error(plan_of(config_, model_).findings, where, "is not distributed over the model ranks");
}

}  // namespace
}  // namespace pileus
