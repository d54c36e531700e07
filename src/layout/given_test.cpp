// Coordinates and what the clock says, which no field brings.

#include "layout/test_config.h"

namespace pileus {
namespace {

using namespace planning_test;

/// A field w over lat and lon, and a diagnostic d of it in a file.
struct Over {
  explicit Over(const std::string& expression, std::size_t ranks = 2) : model(ranks) {
    model.dimension("lat", 4).dimension("lon", 6).distributed("w", {"lat", "lon"});
    for (RankDescription& rank : model.model.ranks) {
      rank.dimensions[0].coordinates = {-60, -20, 20, 60};
      rank.dimensions[0].units = "degrees_north";
    }
    config.group("raw").field("w", "lat,lon", true);
    diagnostic("d", expression);
    config.file("a.nc");
    config.include("d");
  }
  Location diagnostic(const std::string& name, const std::string& expression) {
    DiagnosticConfig& made = config.diagnostic(name);
    made.expression = config.text(expression);
    place = made.expression.where;
    return place;
  }
  Location inside(int column) const { return {place.file, place.line, place.column + column}; }
  Planned planned() const { return plan_of(config, model); }
  ConfigBuilder config;
  ModelBuilder model;
  Location place;
};

std::size_t given_rules(const Plan& plan) {
  return static_cast<std::size_t>(std::ranges::count_if(
      plan.rules, [](const Rule& rule) { return std::holds_alternative<Given>(rule.action); }));
}

TEST(Given, coordinates_lie_on_every_rank_that_needs_them_and_nothing_is_sent) {
  const Planned planned = Over("w * lat + lat").planned();

  ASSERT_EQ(planned.findings.text(), "");
  EXPECT_EQ(planned.plan.fields.size(), 1U);
  EXPECT_EQ(given_rules(planned.plan), 1U);
  EXPECT_TRUE(planned.plan.trees.empty());
  EXPECT_EQ(value_of(planned.plan, "d").spread, Spread::distributed);
}

TEST(Given, the_server_of_a_reduced_value_knows_coordinates_itself) {
  const Planned planned = Over("mean[lon](w) * lat").planned();

  ASSERT_EQ(planned.findings.text(), "");
  const bool brings = std::ranges::any_of(planned.plan.trees, &Tree::takes_rank_zero);
  EXPECT_FALSE(brings);
}

TEST(Given, a_field_of_the_same_name_comes_first) {
  Over one("w * lat");
  one.config.config.data_groups.back().fields.reserve(2);
  one.config.field("lat", "lat").parts = one.config.text("same");
  one.model.field("lat", {"lat"});

  const Planned planned = one.planned();

  ASSERT_EQ(planned.findings.text(), "");
  EXPECT_EQ(planned.plan.fields.size(), 2U);
  EXPECT_EQ(given_rules(planned.plan), 0U);
}

TEST(Given, coordinates_that_the_model_does_not_give_are_an_error_of_the_run_and_a_note_of_the_check) {
  const Over one("w * lon");

  expect_only_error(one.planned().findings, one.place, "gives no coordinates of the dimension \"lon\"");
  expect_finding(checked(one.config), Severity::note, one.place, "which the model has to give");
}

TEST(Given, bins_have_the_name_and_the_units_of_the_coordinates) {
  Over one("w");
  one.config.config.diagnostics.clear();
  one.diagnostic("d", "mean[lat,lon](w, by=lat, edges=[-90, 0, 90])");

  const Planned planned = one.planned();

  ASSERT_EQ(planned.findings.text(), "");
  const PlannedDimension& bins = planned.plan[value_of(planned.plan, "d").dimensions.back()];
  EXPECT_EQ(bins.name, "lat_bin_2");
  EXPECT_EQ(bins.units, "degrees_north");
}

TEST(Given, dates_need_an_epoch) {
  Over one("w * hour_of_day");

  expect_only_error(one.planned().findings, one.place, "needs the date of model time 0");
  expect_finding(checked(one.config), Severity::note, one.place, "the model has to");
  one.config.config.time.epoch = one.config.text("2000-01-01 00:00:00");
  EXPECT_EQ(one.planned().findings.text(), "");
  EXPECT_EQ(Over("w * model_time").planned().findings.text(), "");
}

TEST(Given, what_the_clock_says_is_noted_where_a_field_hides_it) {
  Over one("w * year");
  one.config.config.data_groups.back().fields.reserve(2);
  one.config.field("year").parts = one.config.text("same");
  one.model.field("year");

  expect_finding(one.planned().findings, Severity::note, one.place, "not what the clock says");
}

TEST(Given, a_file_holds_nothing_that_is_made_of_them_alone) {
  const Over one("cos(lat) * step_length");

  EXPECT_NE(one.planned().findings.text().find("made of coordinates or the clock alone"), std::string::npos);
}

TEST(Given, other_expressions_use_what_is_made_of_them_alone) {
  Over one("mean[lat,lon](w, weight=weights)");
  one.diagnostic("weights", "cos(lat)");

  EXPECT_EQ(one.planned().findings.text(), "");
}

TEST(Given, equal_ones_of_several_diagnostics_are_one_rule) {
  Over one("w * lat * hour_of_day");
  one.config.config.time.epoch = one.config.text("2000-01-01 00:00:00");
  one.diagnostic("e", "max[lat](w + lat + hour_of_day)");
  one.config.include("e");

  const Planned planned = one.planned();

  ASSERT_EQ(planned.findings.text(), "");
  EXPECT_EQ(given_rules(planned.plan), 2U);
}

TEST(Given, what_the_clock_says_is_no_coordinate) {
  // model_time has the number 0, and so has the dimension lat.
  Over one("w + model_time + step_length + lat");

  const Planned planned = one.planned();

  ASSERT_EQ(planned.findings.text(), "");
  EXPECT_EQ(given_rules(planned.plan), 3U);
}

}  // namespace
}  // namespace pileus
