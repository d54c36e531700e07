// Which operations keep a Partial, and what depends on the layout of the ranks.

#include "layout/testing/fields_in_parts.h"

namespace pileus {
namespace {

using namespace planning_test;

/// A diagnostic with the value of `equation`, in which g is the sum over w.
ConfigBuilder sum_and(const std::string& equation) {
  ConfigBuilder config = with_parts();
  config.diagnostic("d");
  config.localreduce("sum", "w", "l");
  config.reduction("sum", "l", "g");
  config.arithmetic(equation, "d");
  write_means(config, {"d"});
  return config;
}

struct Factor {
  const char* equation;
  std::vector<double> multiply, divide;
};

TEST(Partials, constant_factors_keep_a_partial) {
  const Factor factors[] = {
      {"g/24", {}, {24}},      {"g*2", {2}, {}},           {"2*g", {2}, {}},
      {"-g", {-1}, {}},        {"(2*g)/(3*4)", {2}, {12}}, {"g*2/3", {2}, {3}},
      {"-(g/2^3)", {-1}, {8}}, {"g/2/3", {}, {2, 3}},      {"(1+2)*(g*0.5)", {0.5, 3}, {}}};
  for (const Factor& factor : factors) {
    const Planned planned = plan_of(sum_and(factor.equation), model_of_parts());

    EXPECT_FALSE(planned.findings.has_errors());
    const auto scales = rules_of<Scale>(planned.plan);
    ASSERT_EQ(scales.size(), 1U) << factor.equation;
    auto scale = std::get<Scale>(scales[0]->action);
    std::sort(scale.multiply.begin(), scale.multiply.end());
    std::sort(scale.divide.begin(), scale.divide.end());
    EXPECT_EQ(scale.multiply, factor.multiply) << factor.equation;
    EXPECT_EQ(scale.divide, factor.divide) << factor.equation;
    EXPECT_EQ(value_of(planned.plan, "d").form, Form::partials);
  }
}

TEST(Partials, everything_else_rounds) {
  for (const char* equation : {"g+1", "1/g", "g*g", "g^2", "g-g", "g*2+0", "2^g"}) {
    const Plan plan = plan_of(sum_and(equation), model_of_parts()).plan;

    EXPECT_TRUE(rules_of<Scale>(plan).empty()) << equation;
    EXPECT_EQ(value_of(plan, "d").form, Form::numbers) << equation;
  }
}

TEST(Partials, a_factor_of_a_factor_is_one_scale) {
  ConfigBuilder config = with_parts();
  config.diagnostic("d");
  config.localreduce("sum", "w", "l");
  config.reduction("sum", "l", "g");
  config.arithmetic("g/3", "third");
  config.arithmetic("third*2", "d");
  write_means(config, {"d"});

  const Plan plan = plan_of(config, model_of_parts()).plan;

  ASSERT_EQ(rules_of<Scale>(plan).size(), 1U);
  EXPECT_EQ(std::get<Scale>(rules_of<Scale>(plan)[0]->action).multiply, std::vector<double>{2});
  EXPECT_EQ(std::get<Scale>(rules_of<Scale>(plan)[0]->action).divide, std::vector<double>{3});
}

TEST(Partials, a_factor_before_the_reduction_keeps_the_partial_without_a_warning) {
  ConfigBuilder config = with_parts();
  config.diagnostic("d");
  config.localreduce("sum", "w", "l", "y,x");
  config.arithmetic("l/24", "scaled");
  config.reduction("sum", "scaled", "d");
  write_means(config, {"d"});

  EXPECT_EQ(checked(config).text(), "");
  const Plan plan = plan_of(config, model_of_parts()).plan;
  EXPECT_EQ(plan.rules.size(), 3U);
  EXPECT_EQ(plan.extents(plan.variables[0].value), std::vector<Index>{3});
  EXPECT_EQ(std::get<LocalReduce>(plan.rules[0].action).reduced_axes, (std::vector<int>{1, 2}));
}

TEST(Partials, the_negative_of_a_local_minimum_is_rounded_because_it_is_no_minimum) {
  ConfigBuilder config = with_parts();
  config.diagnostic("d");
  config.localreduce("min", "w", "l");
  const Location where = config.arithmetic("-2*l", "negative").parameters["equation"].where;
  config.reduction("min", "negative", "d");
  write_means(config, {"d"});

  expect_finding(checked(config), Severity::warning, where, "depends on how the model is spread");
  EXPECT_TRUE(rules_of<Scale>(plan_of(config, model_of_parts()).plan).empty());
}

TEST(Layout, an_equation_on_a_local_partial_warns) {
  ConfigBuilder config = with_parts();
  config.diagnostic("d");
  config.localreduce("sum", "w", "l");
  const Location where = config.arithmetic("l^2", "square").parameters["equation"].where;
  config.reduction("sum", "square", "d");
  write_means(config, {"d"});

  expect_finding(checked(config), Severity::warning, where, "this equation rounds it before it is reduced");
}

TEST(Layout, the_mean_of_local_sums_is_weighted_by_counts_with_a_warning) {
  ConfigBuilder config = with_parts();
  config.diagnostic("d");
  config.localreduce("sum", "w", "l");
  const Location where = config.reduction("mean", "l", "d").parameters["field"].where;
  write_means(config, {"d"});

  const Planned planned = plan_of(config, model_of_parts());

  expect_finding(planned.findings, Severity::warning, where,
                 "divided by the number of values that they added");
  EXPECT_EQ(planned.plan.rules.size(), 2U);
}

TEST(Layout, the_mean_of_local_means_is_weighted_without_a_warning) {
  ConfigBuilder config = with_parts();
  config.diagnostic("d");
  config.localreduce("mean", "w", "l");
  config.reduction("mean", "l", "d");
  write_means(config, {"d"});

  EXPECT_EQ(checked(config).text(), "");
}

TEST(Layout, mixed_reductions_round_locally_with_a_warning) {
  for (const auto& [local, global] :
       {std::pair{"mean", "sum"}, {"max", "min"}, {"sum", "max"}, {"min", "mean"}}) {
    ConfigBuilder config = with_parts();
    config.diagnostic("d");
    config.localreduce(local, "w", "l");
    const Location where = config.reduction(global, "l", "d").parameters["field"].where;
    write_means(config, {"d"});

    const Planned planned = plan_of(config, model_of_parts());

    expect_finding(planned.findings, Severity::warning, where, "depends on how the model is spread");
    ASSERT_EQ(planned.plan.rules.size(), 3U);
    const auto& program = std::get<Arithmetic>(planned.plan.rules[1].action).program;
    EXPECT_EQ(program.instructions, (std::vector<Instruction>{{Operation::input, 0, 0, 0}}));
    EXPECT_EQ(planned.plan[planned.plan.rules[1].output].form, Form::numbers);
  }
}

}  // namespace
}  // namespace pileus
