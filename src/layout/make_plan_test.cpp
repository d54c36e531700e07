// The Plan of the paper's listings 1 to 3.

#include "layout/test_config.h"

namespace pileus {
namespace {

using namespace planning_test;

/// Listings 1 to 3 of Brown et al. 2018, with {x_size} and {y_size} substituted by 4 and 6.
ConfigBuilder listings() {
  ConfigBuilder config;
  config.group("raw_fields", 2);
  for (const char* name : {"w", "u"}) config.field(name, "z,y,x", true).is_optional = true;
  config.field("vwp_local", "?").is_optional = true;
  DiagnosticConfig& diagnostic = config.diagnostic("VWP_mean");
  diagnostic.type = config.text("scalar");
  diagnostic.data_type = config.text("double");
  diagnostic.metadata.units = config.text("kg/m^2");
  config.localreduce("sum", "vwp_local", "VWP_mean_loc_reduced");
  config.reduction("sum", "VWP_mean_loc_reduced", "VWP_mean_g");
  config.arithmetic("VWP_mean_g/(4*6)", "VWP_mean");
  config.members("3d_fields", {"w", "u"});
  config.file("profile_ts.nc", 100);
  config.include("VWP_mean", "averaged", 10);
  config.include_group("3d_fields", "instantaneous", 5);
  return config;
}

ModelBuilder model_of_two_ranks() {
  ModelBuilder model(2);
  model.dimension("z", 3).dimension("y", 4).dimension("x", 6);
  model.distributed("w", {"z", "y", "x"}).distributed("u", {"z", "y", "x"}).nameless("vwp_local", {5, 7});
  return model;
}

TEST(MakePlan, plans_the_listings_of_the_paper_without_findings) {
  const Planned planned = plan_of(listings(), model_of_two_ranks(), 2);

  EXPECT_EQ(planned.findings.text(), "");
  EXPECT_TRUE(checked(listings()).all().empty()) << checked(listings()).text();
  EXPECT_EQ(planned.plan.fields.size(), 3U);
  EXPECT_EQ(planned.plan.groups.size(), 1U);
  EXPECT_EQ(planned.plan.groups[0].frequency, 2);
  EXPECT_EQ(planned.plan.files.size(), 1U);
}

TEST(MakePlan, the_mean_of_the_listings_is_a_local_sum_a_reduction_and_a_scale) {
  const Plan plan = plan_of(listings(), model_of_two_ranks(), 2).plan;

  ASSERT_EQ(plan.rules.size(), 3U);
  EXPECT_EQ(std::get<LocalReduce>(plan.rules[0].action).reduction, Reduction::sum);
  EXPECT_EQ(std::get<Communicate>(plan.rules[1].action).reduction, Reduction::sum);
  EXPECT_FALSE(std::get<Communicate>(plan.rules[1].action).takes_rank_zero);
  EXPECT_TRUE(std::get<Scale>(plan.rules[2].action).multiply.empty());
  EXPECT_EQ(std::get<Scale>(plan.rules[2].action).divide, std::vector<double>{24});
  const Value& mean = value_of(plan, "VWP_mean");
  EXPECT_EQ(mean.form, Form::partials);
  EXPECT_EQ(mean.spread, Spread::rooted);
  EXPECT_EQ(mean.cadence, 2);
  EXPECT_EQ(mean.name, "VWP_mean");
  EXPECT_TRUE(mean.dimensions.empty());
}

TEST(MakePlan, fields_of_the_listings_have_the_spread_that_their_use_gives_them) {
  const Plan plan = plan_of(listings(), model_of_two_ranks(), 2).plan;

  EXPECT_EQ(plan[field_of(plan, "w").value].spread, Spread::distributed);
  EXPECT_EQ(plan.extents(field_of(plan, "w").value), (std::vector<Index>{3, 4, 6}));
  const Value& local = plan[field_of(plan, "vwp_local").value];
  EXPECT_EQ(local.spread, Spread::own);
  EXPECT_TRUE(local.has_nameless_shape);
  EXPECT_TRUE(field_of(plan, "vwp_local").is_sent_by_all);
  EXPECT_EQ(plan.regions[1][0], (Region{{0, 0, 3}, {3, 4, 3}}));
  EXPECT_EQ(plan.regions[1][2], (Region{{0}, {7}}));
}

TEST(MakePlan, the_file_of_the_listings_has_two_time_axes) {
  const Plan plan = plan_of(listings(), model_of_two_ranks(), 2).plan;

  ASSERT_EQ(plan.schedules.size(), 2U);
  EXPECT_EQ(plan.schedules[0].dimension, "time_averaged_10");
  EXPECT_EQ(plan.schedules[1].dimension, "time_instantaneous_5");
  ASSERT_EQ(plan.variables.size(), 3U);
  EXPECT_EQ(plan.variables[1].name, "w");
  EXPECT_EQ(plan.variables[2].schedule, ScheduleId(1));
  EXPECT_EQ(attribute(plan.variables[0].attributes, "units"), "kg/m^2");
  EXPECT_EQ(attribute(plan.variables[0].attributes, "cell_methods"), "time_averaged_10: mean");
  EXPECT_EQ(attribute(plan.variables[1].attributes, "cell_methods"), "time_instantaneous_5: point");
  EXPECT_EQ(attribute(plan.variables[1].attributes, "units"), "(none)");
}

TEST(MakePlan, needs_of_the_listings_reach_the_fields) {
  const Plan plan = plan_of(listings(), model_of_two_ranks(), 2).plan;

  ASSERT_EQ(plan.needs.size(), 2U);
  EXPECT_EQ(plan.needs[0], (Need{2, 0, false, false, false, true}));  // a mean does not take the state at the
                                                                      // start
  EXPECT_EQ(plan.needs[1], (Need{2, 5}));
  EXPECT_EQ(plan[field_of(plan, "vwp_local").value].needs, std::vector<std::uint32_t>{0});
  EXPECT_EQ(plan[field_of(plan, "u").value].needs, std::vector<std::uint32_t>{1});
}

TEST(MakePlan, the_order_of_rules_in_the_file_does_not_matter) {
  ConfigBuilder config = listings();
  std::reverse(config.config.diagnostics[0].rules.begin(), config.config.diagnostics[0].rules.end());

  const Planned planned = plan_of(config, model_of_two_ranks(), 2);

  EXPECT_EQ(planned.findings.text(), "");
  ASSERT_EQ(planned.plan.rules.size(), 3U);
  EXPECT_TRUE(std::holds_alternative<LocalReduce>(planned.plan.rules[0].action));
  EXPECT_TRUE(std::holds_alternative<Communicate>(planned.plan.rules[1].action));
  EXPECT_TRUE(std::holds_alternative<Scale>(planned.plan.rules[2].action));
}

TEST(MakePlan, every_file_carries_the_configuration_that_made_it) {
  ConfigBuilder config = listings();
  config.config.text = "abc";
  config.config.options = {{"x_size", "4"}, {"y_size", "6"}};

  const Plan plan = plan_of(config, model_of_two_ranks(), 2).plan;

  EXPECT_EQ(attribute(plan.attributes, "configuration"), "abc");
  // The expected value is the example "abc" of FIPS 180-4.
  EXPECT_EQ(attribute(plan.attributes, "configuration_hash"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(attribute(plan.attributes, "options"), "x_size=4; y_size=6");
  EXPECT_NE(attribute(plan.attributes, "pileus_version"), "(none)");
  // It is long, so the other attributes are printed before it.
  EXPECT_EQ(plan.attributes.back().name, "configuration");
}

TEST(MakePlan, a_model_without_ranks_or_servers_is_an_error) {
  EXPECT_TRUE(plan_of(listings(), ModelBuilder(0), 1).findings.has_errors());
  EXPECT_TRUE(plan_of(listings(), model_of_two_ranks(), 0).findings.has_errors());
}

}  // namespace
}  // namespace pileus
