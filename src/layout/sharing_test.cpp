// Which rules become one, which operations keep a Partial, and what depends on the layout of the ranks.

#include "layout/test_config.h"

namespace pileus {
namespace {

using namespace planning_test;

ConfigBuilder with_fields() {
  ConfigBuilder config;
  config.group("raw");
  config.field("w", "z,y,x", true);
  config.field("u", "z,y,x", true);
  config.field("p", "y,x", true);
  config.field("local", "?");
  config.field("profile", "z");
  return config;
}

ModelBuilder model() {
  ModelBuilder model(2);
  model.dimension("z", 3).dimension("y", 4).dimension("x", 6);
  model.distributed("w", {"z", "y", "x"}).distributed("u", {"z", "y", "x"}).distributed("p", {"y", "x"});
  model.nameless("local", {5, 5}).field("profile", {"z"});
  return model;
}

void write(ConfigBuilder& config, const std::vector<std::string>& names) {
  config.file("f.nc");
  for (const std::string& name : names) config.include(name, "averaged");
}

template <class Action>
std::vector<const Rule*> rules_of(const Plan& plan) {
  std::vector<const Rule*> found;
  for (const Rule& rule : plan.rules) {
    if (std::holds_alternative<Action>(rule.action)) found.push_back(&rule);
  }
  return found;
}

/// A diagnostic with the value of `equation`, in which g is the sum over w.
ConfigBuilder sum_and(const std::string& equation) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  config.localreduce("sum", "w", "l");
  config.reduction("sum", "l", "g");
  config.arithmetic(equation, "d");
  write(config, {"d"});
  return config;
}

TEST(Sharing, two_diagnostics_of_one_meaning_share_all_rules_and_are_two_variables) {
  ConfigBuilder config = with_fields();
  for (const char* name : {"a", "b"}) {
    config.diagnostic(name);
    config.localreduce("sum", "w", std::string("local_") + name);
    config.reduction("sum", std::string("local_") + name, std::string("sum_") + name);
    config.arithmetic(std::string("sum_") + name + (*name == 'a' ? "/(4*6)" : " / 24.0"), name);
  }
  write(config, {"a", "b"});

  const Plan plan = plan_of(config, model()).plan;

  EXPECT_EQ(plan.rules.size(), 3U);
  ASSERT_EQ(plan.variables.size(), 2U);
  EXPECT_EQ(plan.variables[0].value, plan.variables[1].value);
}

TEST(Sharing, sums_and_products_are_equal_in_either_order) {
  ConfigBuilder config = with_fields();
  config.diagnostic("a");
  config.arithmetic("w*u+p", "a");
  config.diagnostic("b");
  config.arithmetic("p+u*w", "b");
  config.diagnostic("c");
  config.arithmetic("p-u*w", "c");
  write(config, {"a", "b", "c"});

  const Plan plan = plan_of(config, model()).plan;

  EXPECT_EQ(value_of(plan, "a").rule, value_of(plan, "b").rule);
  EXPECT_NE(value_of(plan, "a").rule, value_of(plan, "c").rule);
}

TEST(Sharing, a_sub_expression_of_two_diagnostics_becomes_a_rule_of_its_own) {
  ConfigBuilder config = with_fields();
  config.diagnostic("a");
  config.arithmetic("2*(w*u) + 1", "a");
  config.diagnostic("b");
  config.arithmetic("p - w*u", "b");
  write(config, {"a", "b"});

  const Plan plan = plan_of(config, model()).plan;

  ASSERT_EQ(plan.rules.size(), 3U);
  EXPECT_EQ(plan.rules[0].inputs.size(), 2U);  // w, u
  EXPECT_EQ(plan.rules[1].inputs, std::vector<ValueId>{plan.rules[0].output});
  EXPECT_EQ(plan.rules[2].inputs.size(), 2U);  // p, w*u
}

TEST(Sharing, a_trivial_sub_expression_is_computed_where_it_is_used) {
  ConfigBuilder config = with_fields();
  config.diagnostic("a");
  config.arithmetic("(2*w+1)*u", "a");
  config.diagnostic("b");
  config.arithmetic("(2*w+1)*p", "b");
  write(config, {"a", "b"});

  EXPECT_EQ(plan_of(config, model()).plan.rules.size(), 2U);
}

TEST(Sharing, a_result_that_is_a_sub_expression_elsewhere_is_used_there) {
  ConfigBuilder config = with_fields();
  config.diagnostic("a");
  config.arithmetic("(w-u)*p", "a");
  config.diagnostic("b");
  config.arithmetic("w-u", "b");
  write(config, {"a", "b"});

  const Plan plan = plan_of(config, model()).plan;

  ASSERT_EQ(plan.rules.size(), 2U);
  EXPECT_EQ(value_of(plan, "b").rule, RuleId(0));
  EXPECT_NE(std::find(plan.rules[1].inputs.begin(), plan.rules[1].inputs.end(), plan.variables[1].value),
            plan.rules[1].inputs.end());
}

TEST(Sharing, another_name_for_a_field_is_the_field) {
  ConfigBuilder config = with_fields();
  config.diagnostic("vertical_velocity");
  config.arithmetic("w", "vertical_velocity");
  write(config, {"vertical_velocity"});

  const Plan plan = plan_of(config, model()).plan;

  EXPECT_TRUE(plan.rules.empty());
  EXPECT_TRUE(plan[plan.variables[0].value].field.is_valid());
}

TEST(Sharing, the_program_of_a_rule_says_what_the_equation_says) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  config.arithmetic("-w^2 / u", "d");
  write(config, {"d"});

  const Plan plan = plan_of(config, model()).plan;

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
    const Planned planned = plan_of(sum_and(factor.equation), model());

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
    const Plan plan = plan_of(sum_and(equation), model()).plan;

    EXPECT_TRUE(rules_of<Scale>(plan).empty()) << equation;
    EXPECT_EQ(value_of(plan, "d").form, Form::numbers) << equation;
  }
}

TEST(Partials, a_factor_of_a_factor_is_one_scale) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  config.localreduce("sum", "w", "l");
  config.reduction("sum", "l", "g");
  config.arithmetic("g/3", "third");
  config.arithmetic("third*2", "d");
  write(config, {"d"});

  const Plan plan = plan_of(config, model()).plan;

  ASSERT_EQ(rules_of<Scale>(plan).size(), 1U);
  EXPECT_EQ(std::get<Scale>(rules_of<Scale>(plan)[0]->action).multiply, std::vector<double>{2});
  EXPECT_EQ(std::get<Scale>(rules_of<Scale>(plan)[0]->action).divide, std::vector<double>{3});
}

TEST(Partials, a_factor_before_the_reduction_keeps_the_partial_without_a_warning) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  config.localreduce("sum", "w", "l", "y,x");
  config.arithmetic("l/24", "scaled");
  config.reduction("sum", "scaled", "d");
  write(config, {"d"});

  EXPECT_EQ(checked(config).text(), "");
  const Plan plan = plan_of(config, model()).plan;
  EXPECT_EQ(plan.rules.size(), 3U);
  EXPECT_EQ(plan.extents(plan.variables[0].value), std::vector<Index>{3});
  EXPECT_EQ(std::get<LocalReduce>(plan.rules[0].action).reduced_axes, (std::vector<int>{1, 2}));
}

TEST(Partials, the_negative_of_a_local_minimum_is_rounded_because_it_is_no_minimum) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  config.localreduce("min", "w", "l");
  const Location where = config.arithmetic("-2*l", "negative").parameters["equation"].where;
  config.reduction("min", "negative", "d");
  write(config, {"d"});

  expect_finding(checked(config), Severity::warning, where, "depends on how the model is spread");
  EXPECT_TRUE(rules_of<Scale>(plan_of(config, model()).plan).empty());
}

TEST(Layout, an_equation_on_a_local_partial_warns) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  config.localreduce("sum", "w", "l");
  const Location where = config.arithmetic("l^2", "square").parameters["equation"].where;
  config.reduction("sum", "square", "d");
  write(config, {"d"});

  expect_finding(checked(config), Severity::warning, where, "this equation rounds it before it is reduced");
}

TEST(Layout, the_mean_of_local_sums_is_weighted_by_counts_with_a_warning) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  config.localreduce("sum", "w", "l");
  const Location where = config.reduction("mean", "l", "d").parameters["field"].where;
  write(config, {"d"});

  const Planned planned = plan_of(config, model());

  expect_finding(planned.findings, Severity::warning, where,
                 "divided by the number of values that they added");
  EXPECT_EQ(planned.plan.rules.size(), 2U);
}

TEST(Layout, the_mean_of_local_means_is_weighted_without_a_warning) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  config.localreduce("mean", "w", "l");
  config.reduction("mean", "l", "d");
  write(config, {"d"});

  EXPECT_EQ(checked(config).text(), "");
}

TEST(Layout, mixed_reductions_round_locally_with_a_warning) {
  for (const auto& [local, global] :
       {std::pair{"mean", "sum"}, {"max", "min"}, {"sum", "max"}, {"min", "mean"}}) {
    ConfigBuilder config = with_fields();
    config.diagnostic("d");
    config.localreduce(local, "w", "l");
    const Location where = config.reduction(global, "l", "d").parameters["field"].where;
    write(config, {"d"});

    const Planned planned = plan_of(config, model());

    expect_finding(planned.findings, Severity::warning, where, "depends on how the model is spread");
    ASSERT_EQ(planned.plan.rules.size(), 3U);
    const auto& program = std::get<Arithmetic>(planned.plan.rules[1].action).program;
    EXPECT_EQ(program.instructions, (std::vector<Instruction>{{Operation::input, 0, 0, 0}}));
    EXPECT_EQ(planned.plan[planned.plan.rules[1].output].form, Form::numbers);
  }
}

TEST(Shapes, a_local_reduction_of_an_equal_one_is_one_over_the_dimensions_of_both) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  config.localreduce("sum", "w", "rows", "y");
  config.localreduce("sum", "rows", "l", "x");
  config.reduction("sum", "l", "d");
  write(config, {"d"});

  const Planned planned = plan_of(config, model());

  ASSERT_EQ(planned.plan.rules.size(), 2U);
  EXPECT_EQ(std::get<LocalReduce>(planned.plan.rules[0].action).reduced_axes, (std::vector<int>{1, 2}));
  EXPECT_EQ(planned.plan.extents(planned.plan.variables[0].value), std::vector<Index>{3});
}

TEST(Shapes, a_dimension_that_the_input_does_not_have_is_an_error) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  const Location where = config.localreduce("sum", "p", "l", "y,xx").parameters["dimensions"].where;
  config.reduction("sum", "l", "d");
  write(config, {"d"});

  expect_only_error(checked(config), where, "field \"p\" has no dimension \"xx\"; did you mean \"x\"?");
}

TEST(Shapes, a_nameless_array_has_no_dimensions_to_choose_from) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  const Location where = config.localreduce("sum", "local", "l", "y").parameters["dimensions"].where;
  config.reduction("sum", "l", "d");
  write(config, {"d"});

  expect_only_error(plan_of(config, model()).findings, where, "has no names for its dimensions");
}

TEST(Shapes, dimensions_match_by_name_and_the_input_with_most_of_them_gives_the_order) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  config.arithmetic("profile*p*w", "d");
  config.diagnostic("e");
  config.arithmetic("p*profile", "e");
  write(config, {"d", "e"});

  const Plan plan = plan_of(config, model()).plan;

  EXPECT_EQ(plan.extents(plan.variables[0].value), (std::vector<Index>{3, 4, 6}));
  EXPECT_EQ(plan.extents(plan.variables[1].value), (std::vector<Index>{4, 6, 3}));  // its dimensions are y, x
                                                                                    // and then z
}

TEST(Shapes, inputs_that_lie_on_different_parts_of_a_dimension_are_an_error) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  const Location where = config.arithmetic("w*u", "d").where;
  write(config, {"d"});
  ModelBuilder uneven = model();
  uneven.registered(0, "u").region.count[2] = 2;
  uneven.registered(1, "u").region.start[2] = 2;
  uneven.registered(1, "u").region.count[2] = 4;

  expect_only_error(plan_of(config, uneven).findings, where,
                    "\"w\" and \"u\" lie on different parts of dimension \"x\" on model rank 0");
}

TEST(Shapes, a_nameless_array_is_reduced_element_by_element_if_all_ranks_have_as_many) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  const Location where = config.reduction("sum", "local", "d").parameters["field"].where;
  write(config, {"d"});

  const Planned even = plan_of(config, model());
  ModelBuilder uneven = model();
  uneven.registered(1, "local").region.count = {4};

  EXPECT_FALSE(even.findings.has_errors()) << even.findings.text();
  EXPECT_EQ(even.plan.extents(even.plan.variables[0].value), std::vector<Index>{5});
  EXPECT_EQ(even.plan.dimensions.back().name, "local_1");
  expect_only_error(plan_of(config, uneven).findings, where,
                    "it has 5 elements on model rank 0, but 4 on model rank 1");
}

TEST(Shapes, a_nameless_array_has_the_dimensions_that_its_diagnostic_declares_where_they_fit) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  config.reduction("sum", "local", "d");
  DiagnosticConfig& declared = config.config.diagnostics.back();
  declared.size = {config.text("level")};
  declared.has_size = true;
  write(config, {"d"});

  ModelBuilder fitting = model(), other = model();
  const Planned named = plan_of(config, fitting.dimension("level", 5));
  const Planned wrong = plan_of(config, other.dimension("level", 6));

  EXPECT_FALSE(named.findings.has_errors()) << named.findings.text();
  const DimensionId dimension = named.plan.variables[0].dimensions.front();
  EXPECT_EQ(named.plan[dimension].name, "level");
  expect_only_error(wrong.findings, declared.size.front().where,
                    "has the size \"level\" here, but its rules make \"local_1\"");
}

TEST(Shapes, a_nameless_array_may_have_other_declared_dimensions_in_each_diagnostic) {
  ConfigBuilder config = with_fields();
  for (const char* name : {"d", "e"}) {
    config.diagnostic(name);
    config.reduction("sum", "local", name);
    config.config.diagnostics.back().size = {config.text(std::string("level_of_") + name)};
    config.config.diagnostics.back().has_size = true;
  }
  write(config, {"d", "e"});
  ModelBuilder both = model();

  const Planned planned = plan_of(config, both.dimension("level_of_d", 5).dimension("level_of_e", 5));

  EXPECT_FALSE(planned.findings.has_errors()) << planned.findings.text();
  EXPECT_EQ(planned.plan[planned.plan.variables[0].dimensions.front()].name, "level_of_d");
  EXPECT_EQ(planned.plan[planned.plan.variables[1].dimensions.front()].name, "level_of_e");
}

TEST(Shapes, a_nameless_array_of_a_namespace_has_invented_dimensions_without_it) {
  ConfigBuilder config = with_fields();
  for (DataGroupConfig& group : config.config.data_groups) group.scope = "a";
  config.diagnostic("d");
  config.config.diagnostics.back().scope = "a";
  config.reduction("sum", "local", "d");
  config.file("f.nc");
  config.include("a::d");

  const Planned planned = plan_of(config, model());

  EXPECT_FALSE(planned.findings.has_errors()) << planned.findings.text();
  EXPECT_EQ(planned.plan.dimensions.back().name, "local_1");
}

TEST(Shapes, a_nameless_array_cannot_be_written) {
  ConfigBuilder config = with_fields();
  config.file("f.nc");
  const Location where = config.include("local").field.where;

  expect_only_error(plan_of(config, model()).findings, where, "the model gives no names to its dimensions");
}

TEST(Shapes, what_a_diagnostic_declares_of_itself_has_to_be_true) {
  ConfigBuilder config = with_fields();
  DiagnosticConfig& scalar = config.diagnostic("s");
  scalar.type = config.text("scalar");
  scalar.data_type = config.text("integer");
  config.arithmetic("w*u", "s");
  const Location type = config.config.diagnostics[0].type.where,
                 data_type = config.config.diagnostics[0].data_type.where;
  DiagnosticConfig& array = config.diagnostic("a");
  array.has_size = true;
  array.size = {config.text("y"), config.text("z")};
  const Location size = array.size[0].where;
  config.arithmetic("p+1", "a");
  write(config, {"s", "a"});

  const Findings findings = checked(config);
  expect_finding(findings, Severity::error, type,
                 "diagnostic \"s\" is a scalar here, but its rules make an array of size \"z,y,x\"");
  expect_finding(findings, Severity::error, data_type, "its data_type is double or float, not \"integer\"");
  expect_finding(findings, Severity::error, size, "has the size \"y,z\" here, but its rules make \"y,x\"");
}

/// A diagnostic "m", which is the mean of an equation.
ConfigBuilder mean_of(const std::string& equation) {
  ConfigBuilder config = with_fields();
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
  write(config, {"m"});

  const Plan plan = plan_of(config, model()).plan;

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
  ConfigBuilder config = with_fields();
  config.diagnostic("m");
  config.arithmetic("w*u", "product");
  config.arithmetic("product - p", "difference");
  config.localreduce("mean", "difference", "l");
  config.reduction("mean", "l", "m");
  write(config, {"m"});

  const Plan plan = plan_of(config, model()).plan;

  EXPECT_EQ(plan.rules.size(), 2U);
  EXPECT_EQ(only_local_reduce(plan).computed->program.instructions.size(), 5U);
}

TEST(Fusion, what_two_reductions_take_is_computed_once_and_kept) {
  ConfigBuilder config = mean_of("w*u");
  config.diagnostic("n");
  config.arithmetic("u*w", "f");
  config.localreduce("max", "f", "l2");
  config.reduction("max", "l2", "n");
  write(config, {"m", "n"});

  const Plan plan = plan_of(config, model()).plan;

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
  write(config, {"m", "e2"});

  const Plan plan = plan_of(config, model()).plan;

  EXPECT_EQ(rules_of<Arithmetic>(plan).size(), 1U);
  EXPECT_FALSE(only_local_reduce(plan).computed);
}

TEST(Fusion, a_function_of_a_profile_is_not_computed_again_for_every_column) {
  ConfigBuilder config = mean_of("w*profile^1.5 + 2*profile");
  write(config, {"m"});

  const Plan plan = plan_of(config, model()).plan;

  ASSERT_EQ(rules_of<Arithmetic>(plan).size(), 1U);
  const Value& power = plan[rules_of<Arithmetic>(plan)[0]->output];
  EXPECT_EQ(power.dimensions.size(), 1U);
  EXPECT_TRUE(power.is_everywhere);
  EXPECT_TRUE(only_local_reduce(plan).computed);
}

TEST(Definitions, are_equal_whether_an_equation_is_kept_or_computed_on_the_way) {
  ConfigBuilder alone = mean_of("(w-u)*p");
  write(alone, {"m"});
  ConfigBuilder shared = with_fields();  // p*(w - u) is written too, and p comes first
  shared.diagnostic("a");
  shared.arithmetic("p+1", "a");
  shared.diagnostic("e2");
  shared.arithmetic("p*(w-u)", "e2");
  shared.diagnostic("m");
  shared.arithmetic("(w-u)*p", "e");
  shared.localreduce("mean", "e", "l");
  shared.reduction("mean", "l", "m");
  write(shared, {"a", "e2", "m"});
  ConfigBuilder other = mean_of("(u-w)*p");
  write(other, {"m"});

  const Plan one = plan_of(alone, model()).plan, two = plan_of(shared, model()).plan,
             three = plan_of(other, model()).plan;

  ASSERT_TRUE(only_local_reduce(one).computed);
  ASSERT_FALSE(only_local_reduce(two).computed);
  const std::string definition = one.variables[0].definition;
  EXPECT_EQ(definition, two.variables[2].definition);
  EXPECT_NE(definition, three.variables[0].definition);
}

}  // namespace
}  // namespace pileus
