// Which rules become one, and which are computed on the way to another.

#include "layout/testing/fields_in_parts.h"

namespace pileus {
namespace {

using namespace planning_test;

TEST(Sharing, two_diagnostics_of_one_meaning_share_all_rules_and_are_two_variables) {
  ConfigBuilder config = with_parts();
  for (const char* name : {"a", "b"}) {
    config.diagnostic(name);
    config.localreduce("sum", "w", std::string("local_") + name);
    config.reduction("sum", std::string("local_") + name, std::string("sum_") + name);
    config.arithmetic(std::string("sum_") + name + (*name == 'a' ? "/(4*6)" : " / 24.0"), name);
  }
  write_means(config, {"a", "b"});

  const Plan plan = plan_of(config, model_of_parts()).plan;

  EXPECT_EQ(plan.rules.size(), 3U);
  ASSERT_EQ(plan.variables.size(), 2U);
  EXPECT_EQ(plan.variables[0].value, plan.variables[1].value);
}

TEST(Sharing, sums_and_products_are_equal_in_either_order) {
  ConfigBuilder config = with_parts();
  config.diagnostic("a");
  config.arithmetic("w*u+p", "a");
  config.diagnostic("b");
  config.arithmetic("p+u*w", "b");
  config.diagnostic("c");
  config.arithmetic("p-u*w", "c");
  write_means(config, {"a", "b", "c"});

  const Plan plan = plan_of(config, model_of_parts()).plan;

  EXPECT_EQ(value_of(plan, "a").rule, value_of(plan, "b").rule);
  EXPECT_NE(value_of(plan, "a").rule, value_of(plan, "c").rule);
}

TEST(Sharing, a_sub_expression_of_two_diagnostics_becomes_a_rule_of_its_own) {
  ConfigBuilder config = with_parts();
  config.diagnostic("a");
  config.arithmetic("2*(w*u) + 1", "a");
  config.diagnostic("b");
  config.arithmetic("p - w*u", "b");
  write_means(config, {"a", "b"});

  const Plan plan = plan_of(config, model_of_parts()).plan;

  ASSERT_EQ(plan.rules.size(), 3U);
  EXPECT_EQ(plan.rules[0].inputs.size(), 2U);  // w, u
  EXPECT_EQ(plan.rules[1].inputs, std::vector<ValueId>{plan.rules[0].output});
  EXPECT_EQ(plan.rules[2].inputs.size(), 2U);  // p, w*u
}

TEST(Sharing, a_trivial_sub_expression_is_computed_where_it_is_used) {
  ConfigBuilder config = with_parts();
  config.diagnostic("a");
  config.arithmetic("(2*w+1)*u", "a");
  config.diagnostic("b");
  config.arithmetic("(2*w+1)*p", "b");
  write_means(config, {"a", "b"});

  EXPECT_EQ(plan_of(config, model_of_parts()).plan.rules.size(), 2U);
}

TEST(Sharing, a_result_that_is_a_sub_expression_elsewhere_is_used_there) {
  ConfigBuilder config = with_parts();
  config.diagnostic("a");
  config.arithmetic("(w-u)*p", "a");
  config.diagnostic("b");
  config.arithmetic("w-u", "b");
  write_means(config, {"a", "b"});

  const Plan plan = plan_of(config, model_of_parts()).plan;

  ASSERT_EQ(plan.rules.size(), 2U);
  EXPECT_EQ(value_of(plan, "b").rule, RuleId(0));
  EXPECT_NE(std::find(plan.rules[1].inputs.begin(), plan.rules[1].inputs.end(), plan.variables[1].value),
            plan.rules[1].inputs.end());
}

TEST(Sharing, another_name_for_a_field_is_the_field) {
  ConfigBuilder config = with_parts();
  config.diagnostic("vertical_velocity");
  config.arithmetic("w", "vertical_velocity");
  write_means(config, {"vertical_velocity"});

  const Plan plan = plan_of(config, model_of_parts()).plan;

  EXPECT_TRUE(plan.rules.empty());
  EXPECT_TRUE(plan[plan.variables[0].value].field.is_valid());
}

TEST(Sharing, the_program_of_a_rule_says_what_the_equation_says) {
  ConfigBuilder config = with_parts();
  config.diagnostic("d");
  config.arithmetic("-w^2 / u", "d");
  write_means(config, {"d"});

  const Plan plan = plan_of(config, model_of_parts()).plan;

  ASSERT_EQ(plan.rules.size(), 1U);
  const auto& steps = std::get<Arithmetic>(plan.rules[0].action).program.instructions;
  ASSERT_EQ(steps.size(), 6U);  // w, u, 2, ^, -, / in an order in which operands come first
  const Instruction& division = steps.back();
  EXPECT_EQ(division.operation, Operation::divide);
  const Instruction& negation = steps[division.left];
  EXPECT_EQ(negation.operation, Operation::negate);
  const Instruction& power = steps[negation.left];
  EXPECT_EQ(power.operation, Operation::power);
  EXPECT_EQ(plan[plan.rules[0].inputs[steps[power.left].left]].name, "w");
  EXPECT_EQ(steps[power.right].constant, 2);
  EXPECT_EQ(plan[plan.rules[0].inputs[steps[division.right].left]].name, "u");
}

/// A diagnostic "m", which is the mean of an equation.
ConfigBuilder mean_of(const std::string& equation) {
  ConfigBuilder config = with_parts();
  config.diagnostic("m");
  config.arithmetic(equation, "e");
  config.localreduce("mean", "e", "l");
  config.reduction("mean", "l", "m");
  return config;
}

const LocalReduce& only_local_reduce(const Plan& plan) {
  const auto rules = rules_of<LocalReduce>(plan);
  EXPECT_EQ(rules.size(), 1U);
  return std::get<LocalReduce>(rules.at(0)->action);
}

TEST(Fusion, an_equation_that_only_a_local_reduction_uses_is_computed_on_the_way_to_it) {
  ConfigBuilder config = mean_of("w*p");
  write_means(config, {"m"});

  const Plan plan = plan_of(config, model_of_parts()).plan;

  ASSERT_EQ(plan.rules.size(), 2U);  // the other one is the reduction
  const LocalReduce& reduce = only_local_reduce(plan);
  ASSERT_TRUE(reduce.computed);
  const Program product{{{Operation::input, 0, 0}, {Operation::input, 0, 1}, {Operation::multiply, 0, 0, 1}}};
  EXPECT_EQ(reduce.computed->program, product);
  EXPECT_EQ(reduce.computed->value.dimensions, plan[plan.rules[0].inputs[0]].dimensions);
  EXPECT_EQ(reduce.reduced_axes, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(plan.rules[0].inputs.size(), 2U);
}

TEST(Fusion, results_of_several_rules_become_one_computation) {
  ConfigBuilder config = with_parts();
  config.diagnostic("m");
  config.arithmetic("w*u", "product");
  config.arithmetic("product - p", "difference");
  config.localreduce("mean", "difference", "l");
  config.reduction("mean", "l", "m");
  write_means(config, {"m"});

  const Plan plan = plan_of(config, model_of_parts()).plan;

  EXPECT_EQ(plan.rules.size(), 2U);
  EXPECT_EQ(only_local_reduce(plan).computed->program.instructions.size(), 5U);
}

TEST(Fusion, what_two_reductions_take_is_computed_once_and_kept) {
  ConfigBuilder config = mean_of("w*u");
  config.diagnostic("n");
  config.arithmetic("u*w", "f");
  config.localreduce("max", "f", "l2");
  config.reduction("max", "l2", "n");
  write_means(config, {"m", "n"});

  const Plan plan = plan_of(config, model_of_parts()).plan;

  EXPECT_EQ(rules_of<Arithmetic>(plan).size(), 1U);
  for (const Rule* rule : rules_of<LocalReduce>(plan)) {
    EXPECT_FALSE(std::get<LocalReduce>(rule->action).computed);
    EXPECT_EQ(rule->inputs, std::vector<ValueId>{rules_of<Arithmetic>(plan)[0]->output});
  }
}

TEST(Fusion, what_is_written_is_kept) {
  ConfigBuilder config = mean_of("w*u");
  config.diagnostic("e2");
  config.arithmetic("w*u", "e2");
  write_means(config, {"m", "e2"});

  const Plan plan = plan_of(config, model_of_parts()).plan;

  EXPECT_EQ(rules_of<Arithmetic>(plan).size(), 1U);
  EXPECT_FALSE(only_local_reduce(plan).computed);
}

TEST(Fusion, a_function_of_a_profile_is_not_computed_again_for_every_column) {
  ConfigBuilder config = mean_of("w*profile^1.5 + 2*profile");
  write_means(config, {"m"});

  const Plan plan = plan_of(config, model_of_parts()).plan;

  ASSERT_EQ(rules_of<Arithmetic>(plan).size(), 1U);
  const Value& power = plan[rules_of<Arithmetic>(plan)[0]->output];
  EXPECT_EQ(power.dimensions.size(), 1U);
  EXPECT_TRUE(power.is_everywhere);
  EXPECT_TRUE(only_local_reduce(plan).computed);
}

TEST(Definitions, are_equal_whether_an_equation_is_kept_or_computed_on_the_way) {
  ConfigBuilder alone = mean_of("(w-u)*p");
  write_means(alone, {"m"});
  ConfigBuilder shared = with_parts();  // p*(w - u) is written too, and p comes first
  shared.diagnostic("a");
  shared.arithmetic("p+1", "a");
  shared.diagnostic("e2");
  shared.arithmetic("p*(w-u)", "e2");
  shared.diagnostic("m");
  shared.arithmetic("(w-u)*p", "e");
  shared.localreduce("mean", "e", "l");
  shared.reduction("mean", "l", "m");
  write_means(shared, {"a", "e2", "m"});
  ConfigBuilder other = mean_of("(u-w)*p");
  write_means(other, {"m"});

  const Plan one = plan_of(alone, model_of_parts()).plan, two = plan_of(shared, model_of_parts()).plan,
             three = plan_of(other, model_of_parts()).plan;

  ASSERT_TRUE(only_local_reduce(one).computed);
  ASSERT_FALSE(only_local_reduce(two).computed);
  const std::string definition = one.variables[0].definition;
  EXPECT_EQ(definition, two.variables[2].definition);
  EXPECT_NE(definition, three.variables[0].definition);
}

}  // namespace
}  // namespace pileus
