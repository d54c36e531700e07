// The dimensions of what rules make, and of arrays without named ones.

#include "layout/testing/fields_in_parts.h"

namespace pileus {
namespace {

using namespace planning_test;

TEST(Shapes, a_local_reduction_of_an_equal_one_is_one_over_the_dimensions_of_both) {
  ConfigBuilder config = with_parts();
  config.diagnostic("d");
  config.localreduce("sum", "w", "rows", "y");
  config.localreduce("sum", "rows", "l", "x");
  config.reduction("sum", "l", "d");
  write_means(config, {"d"});

  const Planned planned = plan_of(config, model_of_parts());

  ASSERT_EQ(planned.plan.rules.size(), 2U);
  EXPECT_EQ(std::get<LocalReduce>(planned.plan.rules[0].action).reduced_axes, (std::vector<int>{1, 2}));
  EXPECT_EQ(planned.plan.extents(planned.plan.variables[0].value), std::vector<Index>{3});
}

TEST(Shapes, a_dimension_that_the_input_does_not_have_is_an_error) {
  ConfigBuilder config = with_parts();
  config.diagnostic("d");
  const Location where = config.localreduce("sum", "p", "l", "y,xx").parameters["dimensions"].where;
  config.reduction("sum", "l", "d");
  write_means(config, {"d"});

  expect_only_error(checked(config), where, "field \"p\" has no dimension \"xx\"; did you mean \"x\"?");
}

TEST(Shapes, a_nameless_array_has_no_dimensions_to_choose_from) {
  ConfigBuilder config = with_parts();
  config.diagnostic("d");
  const Location where = config.localreduce("sum", "local", "l", "y").parameters["dimensions"].where;
  config.reduction("sum", "l", "d");
  write_means(config, {"d"});

  expect_only_error(plan_of(config, model_of_parts()).findings, where, "has no names for its dimensions");
}

TEST(Shapes, dimensions_match_by_name_and_the_input_with_most_of_them_gives_the_order) {
  ConfigBuilder config = with_parts();
  config.diagnostic("d");
  config.arithmetic("profile*p*w", "d");
  config.diagnostic("e");
  config.arithmetic("p*profile", "e");
  write_means(config, {"d", "e"});

  const Plan plan = plan_of(config, model_of_parts()).plan;

  EXPECT_EQ(plan.extents(plan.variables[0].value), (std::vector<Index>{3, 4, 6}));
  EXPECT_EQ(plan.extents(plan.variables[1].value), (std::vector<Index>{4, 6, 3}));  // its dimensions are y, x
                                                                                    // and then z
}

TEST(Shapes, inputs_that_lie_on_different_parts_of_a_dimension_are_an_error) {
  ConfigBuilder config = with_parts();
  config.diagnostic("d");
  const Location where = config.arithmetic("w*u", "d").where;
  write_means(config, {"d"});
  ModelBuilder uneven = model_of_parts();
  uneven.registered(0, "u").region.count[2] = 2;
  uneven.registered(1, "u").region.start[2] = 2;
  uneven.registered(1, "u").region.count[2] = 4;

  expect_only_error(plan_of(config, uneven).findings, where,
                    "\"w\" and \"u\" lie on different parts of dimension \"x\" on model rank 0");
}

TEST(Shapes, a_nameless_array_is_reduced_element_by_element_if_all_ranks_have_as_many) {
  ConfigBuilder config = with_parts();
  config.diagnostic("d");
  const Location where = config.reduction("sum", "local", "d").parameters["field"].where;
  write_means(config, {"d"});

  const Planned even = plan_of(config, model_of_parts());
  ModelBuilder uneven = model_of_parts();
  uneven.registered(1, "local").region.count = {4};

  EXPECT_FALSE(even.findings.has_errors()) << even.findings.text();
  EXPECT_EQ(even.plan.extents(even.plan.variables[0].value), std::vector<Index>{5});
  EXPECT_EQ(even.plan.dimensions.back().name, "local_1");
  expect_only_error(plan_of(config, uneven).findings, where,
                    "it has 5 elements on model rank 0, but 4 on model rank 1");
}

TEST(Shapes, a_nameless_array_has_the_dimensions_that_its_diagnostic_declares_where_they_fit) {
  ConfigBuilder config = with_parts();
  config.diagnostic("d");
  config.reduction("sum", "local", "d");
  DiagnosticConfig& declared = config.config.diagnostics.back();
  declared.size = {config.text("level")};
  declared.has_size = true;
  write_means(config, {"d"});

  ModelBuilder fitting = model_of_parts(), other = model_of_parts();
  const Planned named = plan_of(config, fitting.dimension("level", 5));
  const Planned wrong = plan_of(config, other.dimension("level", 6));

  EXPECT_FALSE(named.findings.has_errors()) << named.findings.text();
  const DimensionId dimension = named.plan.variables[0].dimensions.front();
  EXPECT_EQ(named.plan[dimension].name, "level");
  expect_only_error(wrong.findings, declared.size.front().where,
                    "has the size \"level\" here, but its rules make \"local_1\"");
}

TEST(Shapes, a_nameless_array_may_have_other_declared_dimensions_in_each_diagnostic) {
  ConfigBuilder config = with_parts();
  for (const char* name : {"d", "e"}) {
    config.diagnostic(name);
    config.reduction("sum", "local", name);
    config.config.diagnostics.back().size = {config.text(std::string("level_of_") + name)};
    config.config.diagnostics.back().has_size = true;
  }
  write_means(config, {"d", "e"});
  ModelBuilder both = model_of_parts();

  const Planned planned = plan_of(config, both.dimension("level_of_d", 5).dimension("level_of_e", 5));

  EXPECT_FALSE(planned.findings.has_errors()) << planned.findings.text();
  EXPECT_EQ(planned.plan[planned.plan.variables[0].dimensions.front()].name, "level_of_d");
  EXPECT_EQ(planned.plan[planned.plan.variables[1].dimensions.front()].name, "level_of_e");
}

TEST(Shapes, a_nameless_array_of_a_namespace_has_invented_dimensions_without_it) {
  ConfigBuilder config = with_parts();
  for (DataGroupConfig& group : config.config.data_groups) group.scope = "a";
  config.diagnostic("d");
  config.config.diagnostics.back().scope = "a";
  config.reduction("sum", "local", "d");
  config.file("f.nc");
  config.include("a::d");

  const Planned planned = plan_of(config, model_of_parts());

  EXPECT_FALSE(planned.findings.has_errors()) << planned.findings.text();
  EXPECT_EQ(planned.plan.dimensions.back().name, "local_1");
}

TEST(Shapes, a_nameless_array_cannot_be_written) {
  ConfigBuilder config = with_parts();
  config.file("f.nc");
  const Location where = config.include("local").field.where;

  expect_only_error(plan_of(config, model_of_parts()).findings, where,
                    "the model gives no names to its dimensions");
}

TEST(Shapes, what_a_diagnostic_declares_of_itself_has_to_be_true) {
  ConfigBuilder config = with_parts();
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
  write_means(config, {"s", "a"});

  const Findings findings = checked(config);
  expect_finding(findings, Severity::error, type,
                 "diagnostic \"s\" is a scalar here, but its rules make an array of size \"z,y,x\"");
  expect_finding(findings, Severity::error, data_type, "its data_type is double or float, not \"integer\"");
  expect_finding(findings, Severity::error, size, "has the size \"y,z\" here, but its rules make \"y,x\"");
}

}  // namespace
}  // namespace pileus
