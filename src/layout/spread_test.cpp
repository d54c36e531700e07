// Who holds a value: it is distributed, own, same or rooted (architecture D15).

#include "layout/test_config.h"

namespace pileus {
namespace {

using namespace planning_test;

/// The fields w and p, which are distributed, a nameless array, a scalar and a profile.
ConfigBuilder with_fields() {
  ConfigBuilder config;
  config.group("raw");
  config.field("w", "z,y,x", true);
  config.field("p", "y,x", true);
  config.field("local", "?");
  config.field("dt");
  config.field("profile", "z");
  return config;
}

ModelBuilder model() {
  ModelBuilder model(2);
  model.dimension("z", 3).dimension("y", 4).dimension("x", 6);
  model.distributed("w", {"z", "y", "x"}).distributed("p", {"y", "x"}).nameless("local", {5, 7});
  model.field("dt").field("profile", {"z"});
  return model;
}

void write(ConfigBuilder& config, const std::string& name) {
  config.file("f.nc");
  config.include(name, "averaged");
}

TEST(Spread, a_scalar_that_is_written_is_the_same_and_sent_by_rank_0_alone) {
  ConfigBuilder config = with_fields();
  write(config, "dt");

  const Planned planned = plan_of(config, model());

  EXPECT_EQ(planned.findings.text().find("error"), std::string::npos);
  EXPECT_EQ(value_of(planned.plan, "dt").spread, Spread::same);
  EXPECT_FALSE(field_of(planned.plan, "dt").is_sent_by_all);
  EXPECT_FALSE(value_of(planned.plan, "dt").is_everywhere);
  EXPECT_EQ(planned.plan.fields.size(), 1U);  // nothing else is wanted
}

TEST(Spread, a_scalar_that_is_reduced_is_each_ranks_own) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  config.reduction("max", "dt", "d");
  write(config, "d");

  const Planned planned = plan_of(config, model());

  EXPECT_EQ(planned.plan[field_of(planned.plan, "dt").value].spread, Spread::own);
  EXPECT_TRUE(field_of(planned.plan, "dt").is_sent_by_all);
}

TEST(Spread, a_field_both_written_and_reduced_is_an_error_that_names_both_places) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  const Location reduced = config.reduction("max", "dt", "d").parameters["field"].where;
  write(config, "d");
  const Location written = config.include("dt").where;

  expect_only_error(checked(config), reduced, "field \"dt\" is reduced by reduction of diagnostic \"d\"");
  expect_finding(checked(config), Severity::error, reduced, "written to \"f.nc\" (" + written.text() + ")");
}

TEST(Spread, the_conflict_is_seen_through_equations) {
  ConfigBuilder config = with_fields();
  config.diagnostic("twice");
  config.arithmetic("2*dt", "twice");
  config.diagnostic("d");
  const Location reduced = config.reduction("max", "twice", "d").parameters["field"].where;
  write(config, "d");
  config.include("dt");

  expect_only_error(checked(config), reduced, "diagnostic \"twice\" is reduced by");
}

TEST(Spread, equations_before_a_reduction_make_their_fields_own) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  config.arithmetic("2*dt+1", "twice");
  config.reduction("max", "twice", "d");
  write(config, "d");

  const Plan plan = plan_of(config, model()).plan;

  EXPECT_EQ(plan[field_of(plan, "dt").value].spread, Spread::own);
}

TEST(Spread, an_equation_of_same_values_is_the_same_and_computed_for_rank_0) {
  ConfigBuilder config = with_fields();
  config.diagnostic("rate");
  config.arithmetic("profile/dt", "rate");
  write(config, "rate");

  const Plan plan = plan_of(config, model()).plan;

  EXPECT_EQ(value_of(plan, "rate").spread, Spread::same);
  EXPECT_FALSE(field_of(plan, "dt").is_sent_by_all);
  EXPECT_EQ(plan.trees.size(), 0U);
}

TEST(Spread, a_same_value_that_meets_a_distributed_one_is_everywhere) {
  ConfigBuilder config = with_fields();
  config.diagnostic("rate");
  config.arithmetic("(w-profile)/dt", "rate");
  write(config, "rate");

  const Planned planned = plan_of(config, model());

  EXPECT_EQ(planned.findings.text(), "");
  const Plan& plan = planned.plan;
  EXPECT_EQ(value_of(plan, "rate").spread, Spread::distributed);
  EXPECT_EQ(plan.extents(plan.variables[0].value), (std::vector<Index>{3, 4, 6}));
  EXPECT_EQ(plan[field_of(plan, "dt").value].spread, Spread::same);
  EXPECT_TRUE(plan[field_of(plan, "dt").value].is_everywhere);
  EXPECT_TRUE(field_of(plan, "dt").is_sent_by_all);
}

TEST(Spread, an_equation_of_same_values_that_a_distributed_one_uses_is_everywhere_with_all_it_is_made_of) {
  ConfigBuilder config = with_fields();
  config.diagnostic("rate");
  config.arithmetic("profile/dt", "inner");
  config.arithmetic("w*inner", "rate");
  write(config, "rate");

  const Plan plan = plan_of(config, model()).plan;

  for (const Value& value : plan.values)
    EXPECT_EQ(value.is_everywhere, value.spread == Spread::same) << value.name;
}

TEST(Spread, a_same_value_that_meets_an_own_one_is_everywhere_and_may_be_written) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  config.arithmetic("local*dt", "product");
  config.localreduce("sum", "product", "l");
  config.reduction("sum", "l", "d");
  write(config, "d");
  config.include("dt");

  const Planned planned = plan_of(config, model());

  EXPECT_FALSE(planned.findings.has_errors()) << planned.findings.text();
  EXPECT_TRUE(value_of(planned.plan, "dt").is_everywhere);
  EXPECT_EQ(planned.plan[field_of(planned.plan, "local").value].spread, Spread::own);
}

TEST(Spread, a_same_value_is_brought_to_the_root_where_a_reduced_one_meets_it) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  config.localreduce("sum", "w", "l");
  config.reduction("sum", "l", "g", "1");
  config.arithmetic("g*dt", "d");
  write(config, "d");

  const Plan plan = plan_of(config, model(), 2).plan;

  ASSERT_EQ(plan.rules.size(), 4U);
  const auto brings = std::find_if(plan.rules.begin(), plan.rules.end(), [](const Rule& rule) {
    const auto* action = std::get_if<Communicate>(&rule.action);
    return action && action->takes_rank_zero;
  });
  ASSERT_NE(brings, plan.rules.end());
  EXPECT_EQ(plan[brings->inputs[0]].name, "dt");
  EXPECT_EQ(plan[brings->output].spread, Spread::rooted);
  EXPECT_EQ(plan[brings->output].root, 1U);
  EXPECT_FALSE(field_of(plan, "dt").is_sent_by_all);
  ASSERT_EQ(plan.trees.size(), 2U);
  for (const Tree& tree : plan.trees) {
    EXPECT_EQ(tree.root, 1U);
    EXPECT_EQ(tree.stage, 0);
    EXPECT_EQ(tree.communications.size(), 1U);
  }
}

TEST(Spread, a_distributed_field_has_to_be_localreduced_before_it_is_reduced) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  const Location where = config.reduction("sum", "w", "d").parameters["field"].where;

  expect_only_error(checked(config), where,
                    "field \"w\" is distributed over the model ranks: localreduce it first");
}

TEST(Spread, what_is_reduced_cannot_be_reduced_again) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  config.localreduce("sum", "w", "l");
  config.reduction("sum", "l", "g");
  const Location again = config.reduction("sum", "g", "d").parameters["field"].where;
  const Location local = config.localreduce("sum", "g", "e").parameters["field"].where;

  const Findings findings = checked(config);
  expect_finding(findings, Severity::error, again, "result \"g\" of diagnostic \"d\" is already reduced");
  expect_finding(findings, Severity::error, local, "is already reduced");
}

TEST(Spread, a_reduced_value_and_a_distributed_one_cannot_meet) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  config.localreduce("mean", "w", "l", "y,x");
  config.reduction("mean", "l", "mean");
  const Location where = config.arithmetic("w-mean", "d").parameters["equation"].where;

  expect_only_error(checked(config), where, "is on one server; field \"w\" is distributed over all of them");
}

TEST(Spread, a_reduced_value_and_an_own_one_cannot_meet) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  config.localreduce("sum", "w", "l");
  config.reduction("sum", "l", "g");
  const Location where = config.arithmetic("g/l", "d").parameters["equation"].where;

  expect_only_error(checked(config), where,
                    "is on one server; result \"l\" of diagnostic \"d\" is each model rank's own");
}

TEST(Spread, an_own_value_and_a_distributed_one_cannot_meet) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  config.localreduce("sum", "w", "l");
  const Location where = config.arithmetic("w/l", "d").parameters["equation"].where;

  expect_only_error(checked(config), where,
                    "the result would depend on how the model is spread over its ranks");
}

TEST(Spread, an_own_value_cannot_be_written) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  config.localreduce("sum", "local", "d");
  config.file("f.nc");
  const Location where = config.include("d").field.where;

  expect_only_error(checked(config), where,
                    "diagnostic \"d\" cannot be written to \"f.nc\": each model rank has its own");
}

TEST(Spread, a_field_used_with_distributed_values_cannot_be_reduced) {
  ConfigBuilder config = with_fields();
  config.diagnostic("d");
  config.reduction("max", "dt", "d");
  config.diagnostic("e");
  config.arithmetic("w*dt", "e");
  write(config, "d");
  config.include("e");

  expect_finding(checked(config), Severity::error,
                 config.config.diagnostics[0].rules[0].parameters["field"].where,
                 "used with distributed values by arithmetic of diagnostic \"e\"");
}

TEST(Spread, is_what_a_field_declares_where_it_does) {
  ConfigBuilder config;
  config.group("raw");
  FieldConfig& same = config.field("dt");
  same.parts = config.text("same");
  const Location declared = same.parts.where;
  config.diagnostic("d");
  const Location reduced = config.reduction("sum", "dt", "d").parameters["field"].where;
  config.file("f.nc").include("d");

  expect_only_error(
      checked(config), reduced,
      "it is declared parts=\"same\" (" + declared.text() + "), as if it were the same on every rank");
  config.config.data_groups[0].fields[0].parts.value = "own";
  EXPECT_EQ(checked(config).text(), "");
}

TEST(Spread, a_field_that_is_declared_as_each_ranks_own_is_not_written) {
  ConfigBuilder config;
  config.group("raw");
  FieldConfig& own = config.field("dt");
  own.parts = config.text("own");
  config.file("f.nc");
  const Location written = config.include("dt").field.where;

  expect_only_error(checked(config), written, "cannot be written to \"f.nc\": each model rank has its own");
}

}  // namespace
}  // namespace pileus
