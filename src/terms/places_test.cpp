// Where reduced values of files lie: many elements stay on the ranks that hold all of what is reduced for
// them, few go to one server, and nothing that a file holds depends on it.

#include "terms/places.h"

#include "layout/test_config.h"

namespace pileus {
namespace {

using namespace planning_test;

constexpr Index kRows = 128;  // with as many columns, the most elements that are averaged exactly

ConfigBuilder with_fields() {
  ConfigBuilder config;
  config.group("raw");
  config.field("w", "z,y,x", true);
  config.field("theta", "z,y,x", true);
  config.file("f.nc");
  return config;
}

DiagnosticConfig& written(ConfigBuilder& config, const std::string& expression) {
  DiagnosticConfig& diagnostic = config.diagnostic("d");
  if (!expression.empty()) diagnostic.expression = config.text(expression);
  config.include("d", "averaged");
  return diagnostic;
}

/// On ranks along x, or along z.
ModelBuilder model(Index columns, bool is_along_z = false) {
  ModelBuilder model(2);
  model.dimension("z", 4).dimension("y", kRows).dimension("x", columns);
  model.distributed("w", {"z", "y", "x"}).distributed("theta", {"z", "y", "x"});
  for (Index rank = 0; is_along_z && rank < 2; ++rank) {
    for (const char* name : {"w", "theta"})
      model.registered(static_cast<std::size_t>(rank), name).region = {{2 * rank, 0, 0}, {2, kRows, columns}};
  }
  return model;
}

Plan plan_with(const ConfigBuilder& config, const ModelBuilder& of) {
  Planned planned = plan_of(config, of);
  EXPECT_FALSE(planned.findings.has_errors()) << planned.findings.text();
  return std::move(planned.plan);
}

TEST(Places, of_many_elements_are_the_model_ranks_where_these_hold_all_that_is_reduced) {
  for (const char* text : {"sum[z](w * theta)", "mean[z](w)", "sum[z](w) - max[z](theta)", "sum[z](w) / 3",
                           "cov[z](w, theta)", "sqrt(sum[z](w)) * mean(theta)", "mean[z](w | theta > 0)"}) {
    ConfigBuilder config = with_fields();
    written(config, text);

    const Plan whole = plan_with(config, model(130)), divided = plan_with(config, model(130, true));

    EXPECT_EQ(value_of(whole, "d").spread, Spread::distributed) << text;
    EXPECT_EQ(value_of(whole, "d").form, Form::numbers) << text;
    EXPECT_EQ(value_of(divided, "d").spread, Spread::rooted) << text;
  }
}

TEST(Places, of_few_elements_are_one_server) {
  ConfigBuilder config = with_fields();
  written(config, "sum[z](w)");

  for (bool is_along_z : {false, true})
    EXPECT_EQ(value_of(plan_with(config, model(kRows, is_along_z)), "d").spread, Spread::rooted);
}

TEST(Places, of_many_elements_are_where_few_others_are_brought) {
  ConfigBuilder config = with_fields();
  written(config, "sum[z](w) + sum[x](theta)");  // 130 x 128 and 128 x 4 elements

  const Plan plan = plan_with(config, model(130));

  EXPECT_EQ(value_of(plan, "d").spread, Spread::distributed);
  ASSERT_EQ(plan.distributions.size(), 1U);
  EXPECT_EQ(plan.distributions[0].broadcasts.size(), 1U);
}

TEST(Places, say_nothing_of_what_is_computed_and_by_which_arithmetic) {
  for (const char* text :
       {"sum[z](w * theta)", "sum[z](w) / 3", "cov[z](w, theta)", "sqrt(sum[z](w)) * mean(theta)"}) {
    for (Index columns : {Index{128}, Index{130}}) {
      ConfigBuilder config = with_fields();
      written(config, text);

      const Plan whole = plan_with(config, model(columns)), divided = plan_with(config, model(columns, true));

      EXPECT_EQ(whole.variables[0].definition, divided.variables[0].definition) << text;
      EXPECT_EQ(whole.variables[0].is_exact, columns == 128);
      EXPECT_EQ(divided.variables[0].is_exact, columns == 128);
      const auto methods = [](const Plan& plan) {
        return attribute(plan.variables[0].attributes, "cell_methods");
      };
      EXPECT_EQ(methods(whole), methods(divided));
    }
  }
}

TEST(Places, say_nothing_of_what_is_a_mean) {
  for (const char* text : {"sum[y,x](sum[z](w)) / 16640", "sum[y,x](mean[z](w)) / 16640"}) {
    ConfigBuilder config = with_fields();
    written(config, text);

    const Plan whole = plan_with(config, model(130)), divided = plan_with(config, model(130, true));

    EXPECT_EQ(attribute(whole.variables[0].attributes, "cell_methods"),
              attribute(divided.variables[0].attributes, "cell_methods"))
        << text;
    EXPECT_EQ(whole.variables[0].definition, divided.variables[0].definition) << text;
  }
}

TEST(Places, of_what_is_to_be_exact_keep_its_sums) {
  ConfigBuilder config = with_fields();
  written(config, "sum[z](w)").is_exact = true;

  for (bool is_along_z : {false, true}) {
    const Plan plan = plan_with(config, model(130, is_along_z));
    EXPECT_TRUE(plan.variables[0].is_exact);
    EXPECT_EQ(value_of(plan, "d").form, Form::partials);
  }
}

TEST(Places, of_distributed_fields_are_averaged_in_the_order_of_steps_unless_asked_otherwise) {
  for (bool is_asked_for : {false, true}) {
    ConfigBuilder config = with_fields();
    written(config, "w + theta").is_exact = is_asked_for;

    EXPECT_EQ(plan_with(config, model(130)).variables[0].is_exact, is_asked_for);
  }
}

TEST(Places, of_a_localreduce_are_those_of_its_reduction) {
  ConfigBuilder config = with_fields();
  written(config, "");
  config.localreduce("sum", "w", "d", "z");
  EXPECT_FALSE(checked(config).has_errors()) << checked(config).text();

  EXPECT_EQ(value_of(plan_with(config, model(130)), "d").spread, Spread::distributed);
  EXPECT_EQ(value_of(plan_with(config, model(130, true)), "d").spread, Spread::rooted);
  EXPECT_EQ(value_of(plan_with(config, model(kRows)), "d").spread, Spread::rooted);
}

TEST(Places, of_rules_are_those_of_expressions) {
  ConfigBuilder config = with_fields();
  written(config, "");
  config.localreduce("sum", "w", "local", "z");
  config.reduction("sum", "local", "whole");
  config.arithmetic("whole / 4", "d");

  const Plan plan = plan_with(config, model(130));

  EXPECT_EQ(value_of(plan, "d").spread, Spread::distributed);
  EXPECT_TRUE(plan.trees.empty());
}

TEST(Places, of_zonal_means_are_the_ranks_that_hold_whole_latitudes) {
  ConfigBuilder config;
  config.group("raw").field("t", "lon,lev,lat", true);
  config.file("f.nc");
  written(config, "mean[lon](t)");
  ModelBuilder model(2);
  model.dimension("lon", 8)
      .dimension("lev", 100)
      .dimension("lat", 200)
      .distributed("t", {"lon", "lev", "lat"});

  const Plan plan = plan_with(config, model);

  EXPECT_EQ(value_of(plan, "d").spread, Spread::distributed);
  EXPECT_TRUE(plan.trees.empty());
}

TEST(Places, where_no_rank_holds_a_part_are_one_server_which_fills_nothing_in) {
  ConfigBuilder config = with_fields();
  written(config, "sum[z](w)");
  ModelBuilder of = model(130);
  of.registered(1, "w").region.count[2] -= 1;

  EXPECT_EQ(value_of(plan_with(config, of), "d").spread, Spread::rooted);
}

TEST(Places, lie_as_the_fields_that_they_follow_from) {
  ConfigBuilder config = with_fields();
  written(config, "sum[z](w)");

  const Plan plan = plan_with(config, model(130));

  const Value& value = value_of(plan, "d");
  ASSERT_EQ(value.parts.size(), 2U);
  for (const HeldPart& part : value.parts) EXPECT_EQ(plan[part.field].name, "w");
  EXPECT_EQ(value.parts[0].axis, 1);
  EXPECT_EQ(value.parts[1].axis, 2);
}

TEST(Places, are_no_ranks_that_would_make_a_part_of_nothing) {
  ConfigBuilder config = with_fields();
  written(config, "sum[z](w)");
  ModelBuilder idle = model(130);
  for (const char* name : {"w", "theta"}) {
    idle.registered(0, name).region = {{0, 0, 0}, {4, kRows, 130}};
    idle.registered(1, name).region = {{0, 0, 0}, {0, kRows, 130}};
  }

  EXPECT_EQ(value_of(plan_with(config, idle), "d").spread, Spread::rooted);
  idle.registered(1, "w").region = idle.registered(1, "theta").region = {{0, 0, 0}, {0, 0, 130}};
  EXPECT_EQ(value_of(plan_with(config, idle), "d").spread, Spread::distributed);
}

TEST(Places, are_one_server_where_there_are_holes) {
  ConfigBuilder config = with_fields();
  written(config, "mean(sum[z](w))");
  for (bool is_along_z : {false, true}) {
    ModelBuilder holes = model(130, is_along_z);
    for (std::size_t rank : {0, 1}) {
      for (const char* name : {"w", "theta"}) holes.registered(rank, name).region.count[1] = kRows / 2;
    }
    const Plan plan = plan_with(config, holes);
    const Rule& mean = plan[value_of(plan, "d").rule];
    EXPECT_EQ(plan[mean.inputs[0]].spread, Spread::rooted);
    EXPECT_TRUE(std::holds_alternative<LocalReduce>(mean.action));
  }
}

TEST(Places, of_many_values_made_one_of_another_are_found_one_by_one) {
  ConfigBuilder config = with_fields();
  std::string last = "w0";
  config.diagnostic(last).expression = config.text("sum[z](w)");
  for (int i = 1; i <= 20000; ++i) {
    const std::string next = "w" + std::to_string(i);
    config.diagnostic(next).expression = config.text(last + " + " + std::to_string(i));
    last = next;
  }
  written(config, "mean(" + last + ")");

  EXPECT_EQ(plan_with(config, model(130)).variables.size(), 1U);
}

}  // namespace
}  // namespace pileus
