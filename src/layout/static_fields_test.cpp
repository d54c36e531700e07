// Fields that never change.

#include "layout/model_metadata.h"
#include "layout/test_config.h"

namespace pileus {
namespace {

using namespace planning_test;

/// A field w every third step, and a static area in a group of every second step.
struct Static {
  explicit Static(std::size_t ranks = 2) : model(ranks) {
    model.dimension("y", 4).dimension("x", 6).distributed("w", {"y", "x"}).distributed("area", {"y", "x"});
    model.field("level");
    config.group("raw", 3).field("w", "y,x", true);
    config.group("constants", 2);
    area_place = config.field("area", "y,x", true).name.where;
    field().is_static = true;
    config.diagnostic("flux");
    flux_place = config.arithmetic("w*area", "flux").where;
  }
  FieldConfig& field() { return config.config.data_groups[1].fields[0]; }
  ConfigBuilder config;
  ModelBuilder model;
  Location area_place, flux_place;
};

const Need kFirst = [] {
  Need need;
  need.at_first = true;
  return need;
}();

bool wants(const Plan& plan, const PlannedField& field, const Need& need) {
  return std::ranges::any_of(plan[field.value].needs,
                             [&](std::uint32_t one) { return plan.needs[one] == need; });
}

TEST(StaticFields, travel_in_the_first_step_and_are_there_as_often_as_what_they_meet) {
  Static one;
  one.config.file("a.nc");
  one.config.include("flux", "averaged");

  const Planned planned = plan_of(one.config, one.model);

  ASSERT_FALSE(planned.findings.has_errors()) << planned.findings.text();
  const PlannedField& area = field_of(planned.plan, "area");
  EXPECT_TRUE(area.is_static);
  EXPECT_FALSE(field_of(planned.plan, "w").is_static);
  EXPECT_TRUE(wants(planned.plan, area, kFirst));
  EXPECT_FALSE(wants(planned.plan, field_of(planned.plan, "w"), kFirst));
  EXPECT_EQ(value_of(planned.plan, "flux").cadence, 3);  // not 6
  const Demand demand = planned.plan.demand(1, 0);
  EXPECT_TRUE(demand.groups[1].fields[0].is_static);
  EXPECT_FALSE(demand.groups[1].fields[0].is_kept);
}

TEST(StaticFields, are_said_to_be_static_by_the_model_or_the_configuration) {
  Static one;
  one.field().is_static = false;
  one.config.file("a.nc");
  one.config.include("w");
  one.config.include("area");
  EXPECT_EQ(plan_of(one.config, one.model).plan.statics.size(), 0U);

  one.field().is_static = true;
  const Plan plan = plan_of(one.config, one.model).plan;

  ASSERT_EQ(plan.statics.size(), 1U);
  EXPECT_EQ(plan.statics[0].name, "area");
  EXPECT_EQ(attribute(plan.statics[0].attributes, "cell_methods"), "(none)");
  ASSERT_EQ(plan.variables.size(), 1U);
  EXPECT_EQ(attribute(plan.variables[0].attributes, "cell_methods"), "time: point");
  ASSERT_EQ(plan.schedules.size(), 1U);
}

TEST(StaticFields, are_static_on_every_model_rank_or_on_none) {
  Static one;
  one.field().is_static = false;
  Findings findings;
  one.model.registered(1, "area").is_static = true;

  take_metadata(one.model.model, one.config.config, findings);

  EXPECT_EQ(findings.text(),
            "error: field \"area\" is not static on the model ranks before 1, which says otherwise: call "
            "pileus_static on every rank or on none");
  one.model.registered(0, "area").is_static = true;
  Findings none;
  take_metadata(one.model.model, one.config.config, none);
  EXPECT_EQ(none.text(), "");
  EXPECT_TRUE(one.field().is_static);
}

TEST(StaticFields, make_static_what_is_made_of_them_alone) {
  Static one;
  one.config.diagnostic("total");
  one.config.localreduce("sum", "area", "here");
  one.config.reduction("sum", "here", "total");
  one.config.file("a.nc");
  one.config.include("flux");
  one.config.include("total");

  const Plan plan = plan_of(one.config, one.model).plan;

  ASSERT_EQ(plan.statics.size(), 1U);
  EXPECT_EQ(plan.statics[0].name, "total");
  EXPECT_EQ(plan[plan.statics[0].value].spread, Spread::rooted);
  ASSERT_EQ(plan[plan.statics[0].value].needs.size(), 1U);
  EXPECT_EQ(plan.needs[plan[plan.statics[0].value].needs[0]], kFirst);
}

TEST(StaticFields, are_in_a_file_once_whatever_ways_they_are_included_in) {
  Static one;
  one.config.members("all", {"w", "area"});
  one.config.file("a.nc");
  one.config.include_group("all", "averaged", 10);
  one.config.include_group("all", "maximum", 10);

  const Planned planned = plan_of(one.config, one.model);

  EXPECT_FALSE(planned.findings.has_errors()) << planned.findings.text();
  ASSERT_EQ(planned.plan.statics.size(), 1U);
  EXPECT_EQ(planned.plan.statics[0].name, "area");
  EXPECT_EQ(planned.plan.variables.size(), 2U);
}

TEST(StaticFields, are_no_cause_for_a_warning_that_fields_meet_rarely) {
  Static one;
  one.config.file("a.nc");
  one.config.include("flux", "averaged");
  const auto advised = [&] {
    Findings findings;
    check_config(one.config.config, findings, true);
    return findings;
  };
  EXPECT_EQ(advised().text(), "");

  one.field().is_static = false;

  expect_finding(advised(), Severity::warning, one.flux_place, "every 6 steps alone");
}

TEST(StaticFields, are_no_values_of_each_rank_alone) {
  Static one;
  one.config.group("own");
  FieldConfig& level = one.config.field("level");
  level.is_static = true;
  level.parts = one.config.text("own");
  const Location where = level.name.where;
  one.config.diagnostic("sum_of_levels");
  one.config.localreduce("sum", "level", "here");
  one.config.reduction("sum", "here", "sum_of_levels");
  one.config.file("a.nc");
  one.config.include("w");
  one.config.include("sum_of_levels");

  expect_only_error(plan_of(one.config, one.model).findings, where,
                    "field \"level\" is static, and each model rank holds a value of its own");
}

TEST(StaticFields, alone_begin_no_file) {
  Static one;
  one.config.file("a.nc");
  const Location where = one.config.config.files[0].where;
  one.config.include("area");

  expect_only_error(plan_of(one.config, one.model).findings, where,
                    "would hold static fields alone, and it begins with the first record of others");
}

TEST(StaticFields, have_names_that_nothing_else_in_their_file_has) {
  Static one;
  one.config.file("a.nc");
  one.config.include("area").name = one.config.text("w");
  const Location where = one.config.config.files[0].includes[0].name.where;
  one.config.include("w");

  const Findings findings = plan_of(one.config, one.model).findings;

  EXPECT_TRUE(findings.has_errors());
  EXPECT_NE(findings.text().find("is the name of another variable (" + where.text() + ")"), std::string::npos)
      << findings.text();
}

TEST(StaticFields, are_wanted_in_the_first_step_of_a_run_alone) {
  EXPECT_TRUE(kFirst.is_sampled({.index = 7, .time = 3, .length = 1, .is_first = 1}));
  EXPECT_TRUE(kFirst.is_sampled({.index = 0, .time = 3, .length = 0, .is_first = 1}));
  EXPECT_FALSE(kFirst.is_sampled({.index = 0, .time = 3, .length = 1, .is_final = 1, .is_checkpoint = 1}));
  EXPECT_EQ(text(kFirst), "the first step of a run");
}

}  // namespace
}  // namespace pileus
