// Rules for second moments, counts and truth values: which become one rule, what travels together, and what
// is refused.

#include "layout/test_config.h"
#include "rules/graph.h"

namespace pileus {
namespace {

using namespace planning_test;

ConfigBuilder with_fields() {
  ConfigBuilder config;
  config.group("raw");
  config.field("w", "z,y,x", true).metadata.units.value = "m s-1";
  config.field("theta", "z,y,x", true).metadata.units.value = "K";
  config.field("p", "y,x", true);
  config.field("profile", "z");
  config.field("held", "");
  config.field("local", "?");
  return config;
}

ModelBuilder model() {
  ModelBuilder model(2);
  model.dimension("z", 3).dimension("y", 4).dimension("x", 6);
  model.distributed("w", {"z", "y", "x"}).distributed("theta", {"z", "y", "x"}).distributed("p", {"y", "x"});
  model.field("profile", {"z"}).field("held").nameless("local", {5, 5});
  return model;
}

void write(ConfigBuilder& config, const std::vector<std::string>& names) {
  config.file("f.nc");
  for (const std::string& name : names) config.include(name, "averaged");
}

Text& with(ConfigBuilder& config, RuleConfig& rule, const std::string& other) {
  return rule.parameters["with"] = config.text(other);
}

/// The diagnostic `d`: the local covariance of two fields over x and y, reduced over all ranks.
ConfigBuilder covariance_of(const std::string& field, const std::string& other) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  with(config, config.localreduce("covariance", field, "l", "y,x"), other);
  config.reduction("covariance", "l", "d");
  write(config, {"d"});
  return config;
}

const Rule& local_rule(const Plan& plan) {
  for (const Rule& rule : plan.rules) {
    if (std::holds_alternative<LocalReduce>(rule.action)) return rule;
  }
  throw std::runtime_error("no localreduce");
}

std::string units_of(const Plan& plan, const std::string& name) {
  for (const Variable& variable : plan.variables) {
    if (variable.name == name) return attribute(variable.attributes, "units");
  }
  return "(no variable)";
}

TEST(Moments, a_covariance_has_two_inputs_and_gives_partials) {
  const Plan plan = plan_of(covariance_of("w", "theta"), model()).plan;

  const Rule& rule = local_rule(plan);
  ASSERT_EQ(rule.inputs.size(), 2U);
  EXPECT_EQ(std::get<LocalReduce>(rule.action).reduction, Reduction::covariance);
  EXPECT_EQ(plan[rule.output].form, Form::partials);
  EXPECT_EQ(plan[value_of(plan, "d").dimensions.at(0)].name, "z");
  EXPECT_EQ(units_of(plan, "d"), "(m s-1) (K)");
}

TEST(Moments, a_root_mean_square_has_the_units_of_its_field_and_the_word_of_cf) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  config.localreduce("root_mean_square", "w", "l", "y,x");
  config.reduction("root_mean_square", "l", "d");
  write(config, {"d"});

  const Plan plan = plan_of(config, model()).plan;

  EXPECT_EQ(units_of(plan, "d"), "m s-1");
  EXPECT_EQ(attribute(plan.variables.at(0).attributes, "cell_methods"), "area: root_mean_square time: mean");
}

TEST(Moments, the_covariance_of_two_fields_is_one_in_either_order) {
  ConfigBuilder config = covariance_of("w", "theta");
  config.diagnostic("e");
  with(config, config.localreduce("covariance", "theta", "m", "y,x"), "w");
  config.reduction("covariance", "m", "e");
  config.include("e", "averaged");

  const Plan plan = plan_of(config, model()).plan;

  EXPECT_EQ(value_of(plan, "d").rule, value_of(plan, "e").rule);
}

TEST(Moments, the_field_with_all_dimensions_comes_first) {
  for (const auto& [field, other] : {std::pair("p", "w"), std::pair("w", "p")}) {
    const Planned planned = plan_of(covariance_of(field, other), model());

    EXPECT_TRUE(planned.findings.all().empty()) << planned.findings.text();
    EXPECT_EQ(planned.plan[local_rule(planned.plan).inputs.at(0)].name, "w");
    EXPECT_EQ(planned.plan[local_rule(planned.plan).inputs.at(1)].name, "p");
  }
}

TEST(Moments, a_field_with_itself_may_be_meant) {
  const Plan plan = plan_of(covariance_of("w", "w"), model()).plan;

  EXPECT_EQ(local_rule(plan).inputs.at(0), local_rule(plan).inputs.at(1));
}

TEST(Moments, a_value_that_is_the_same_everywhere_goes_with_a_distributed_field) {
  const Planned planned = plan_of(covariance_of("w", "profile"), model());

  EXPECT_TRUE(planned.findings.all().empty()) << planned.findings.text();
  const Value& profile = planned.plan[local_rule(planned.plan).inputs.at(1)];
  EXPECT_EQ(profile.spread, Spread::same);
  EXPECT_TRUE(profile.is_everywhere);
}

TEST(Moments, ranks_values_make_pairs_without_a_localreduce) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  config.arithmetic("2*held", "twice");
  with(config, config.reduction("covariance", "held", "d"), "twice");
  write(config, {"d"});

  const Planned planned = plan_of(config, model());

  EXPECT_TRUE(planned.findings.all().empty()) << planned.findings.text();
  EXPECT_EQ(local_rule(planned.plan).inputs.size(), 2U);
  EXPECT_EQ(value_of(planned.plan, "d").spread, Spread::rooted);
}

TEST(Moments, sums_of_counts_are_counts_and_extrema_of_truths_are_truths) {
  for (const auto& [made, asked, code] :
       {std::tuple("count", "sum", Reduction::count), std::tuple("any", "max", Reduction::any),
        std::tuple("all", "min", Reduction::all)}) {
    ConfigBuilder config = with_fields();
    config.diagnostic("d");
    config.localreduce(made, "w", "l");
    config.reduction(asked, "l", "d");
    write(config, {"d"});

    const Planned planned = plan_of(config, model());

    EXPECT_TRUE(planned.findings.all().empty()) << planned.findings.text();
    const Rule& last = planned.plan.rules.back();
    EXPECT_EQ(std::get<Communicate>(last.action).reduction, code);
    EXPECT_EQ(units_of(planned.plan, "d"), "1");
  }
}

TEST(Moments, a_variance_of_local_variances_depends_on_the_layout) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  config.localreduce("variance", "w", "l", "y,x");
  const Location where = config.localreduce("variance", "l", "m").parameters.at("field").where;
  config.reduction("variance", "m", "d");
  write(config, {"d"});

  const Planned planned = plan_of(config, model());

  expect_finding(planned.findings, Severity::warning, where, "depends on how the model is spread");
}

TEST(Moments, units_and_cell_methods_follow_from_the_field) {
  ConfigBuilder config = with_fields();
  for (const char* word : {"variance", "standard_deviation"}) {
    config.diagnostic(word);
    config.localreduce(word, "w", std::string(word) + "_here", "y,x");
    config.reduction(word, std::string(word) + "_here", word);
  }
  write(config, {"variance", "standard_deviation"});

  const Plan plan = plan_of(config, model()).plan;

  EXPECT_EQ(units_of(plan, "variance"), "(m s-1)2");
  EXPECT_EQ(units_of(plan, "standard_deviation"), "m s-1");
  EXPECT_EQ(attribute(plan.variables[0].attributes, "cell_methods").substr(0, 14), "area: variance");
  EXPECT_EQ(attribute(plan.variables[1].attributes, "cell_methods").substr(0, 24),
            "area: standard_deviation");
}

// ---- Mistakes ----

TEST(Moments, with_belongs_to_covariances_alone) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  const Location where = with(config, config.localreduce("variance", "w", "l"), "theta").where;
  config.reduction("variance", "l", "d");
  write(config, {"d"});

  expect_only_error(checked(config), where, "only a covariance takes \"with\"");
}

TEST(Moments, a_local_covariance_needs_the_other_field) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  const Location where = config.localreduce("covariance", "w", "l").where;
  config.reduction("covariance", "l", "d");
  write(config, {"d"});

  expect_only_error(checked(config), where, "localreduce needs the attribute \"with\"");
}

TEST(Moments, a_reduced_covariance_is_of_local_ones_or_of_pairs) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  const Location where = config.reduction("covariance", "held", "d").parameters.at("field").where;
  write(config, {"d"});
  expect_only_error(plan_of(config, model()).findings, where, "say with which field");

  ConfigBuilder twice = with_fields();
  twice.diagnostic("d");
  with(twice, twice.localreduce("covariance", "w", "l"), "theta");
  const Location other = with(twice, twice.reduction("covariance", "l", "d"), "held").where;
  write(twice, {"d"});
  expect_only_error(plan_of(twice, model()).findings, other, "is a covariance already");
}

TEST(Moments, fields_of_which_each_has_a_dimension_of_its_own_make_no_pairs) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  const Location where = with(config, config.localreduce("covariance", "p", "l"), "profile").where;
  config.reduction("covariance", "l", "d");
  write(config, {"d"});

  expect_only_error(plan_of(config, model()).findings, where, "each have a dimension that the other lacks");
}

TEST(Moments, a_ranks_own_value_makes_no_pair_with_a_distributed_field) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  config.localreduce("sum", "local", "own");
  const Location where = with(config, config.localreduce("covariance", "w", "l"), "own").where;
  config.reduction("covariance", "l", "d");
  write(config, {"d"});

  expect_only_error(plan_of(config, model()).findings, where, "each model rank's own");
}

TEST(Moments, a_reduced_value_makes_no_pair) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  config.localreduce("sum", "w", "s", "y,x");
  config.reduction("sum", "s", "on_one_server");
  const Location where = with(config, config.localreduce("covariance", "w", "l"), "on_one_server").where;
  config.reduction("covariance", "l", "d");
  write(config, {"d"});

  expect_only_error(plan_of(config, model()).findings, where, "on one server");
}

}  // namespace
}  // namespace pileus
