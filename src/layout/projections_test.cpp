// Coordinates of projections, and the variables of files that describe these.

#include "layout/projections.h"

#include "config/schema/grid_mappings.h"
#include "layout/test_config.h"

namespace pileus::planning_test {
namespace {

/// A field on a grid with a rotated pole. The model gives the coordinates of its dimensions rlon and rlat.
struct Case {
  ConfigBuilder config;
  ModelBuilder model{2};

  Case() {
    model.dimension("rlon", 3).dimension("rlat", 2);
    config.group("state");
    for (const char* name : {"t", "lat", "lon"}) {
      model.distributed(name, {"rlon", "rlat"});
      config.field(name, "rlon,rlat", true).is_static = std::string(name) != "t";
    }
    config.config.data_groups.back().fields.front().grid = config.text("eu");
    for (RankDescription& rank : model.model.ranks) {
      rank.dimensions[0].coordinates = {-1, 0, 1};
      rank.dimensions[1].coordinates = {5, 6};
    }
    GridConfig grid;
    grid.name = config.text("eu");
    grid.dimensions = {config.text("rlat"), config.text("rlon")};
    grid.latitude = config.text("lat");
    grid.longitude = config.text("lon");
    grid.grid_mapping = config.text("pole");
    config.config.grids.push_back(std::move(grid));
    config.config.mappings.push_back(
        {config.text("pole"), config.text("rotated_latitude_longitude"), {}, ""});
    parameter("grid_north_pole_latitude", "39.25");
    describe("rlon", "X");
    describe("rlat", "Y");
    config.file("f.nc").include("t");
  }

  GridConfig& grid() { return config.config.grids[0]; }
  MappingConfig& mapping() { return config.config.mappings[0]; }
  DimensionConfig& rlon() { return config.config.dimensions[0]; }
  void parameter(const std::string& name, const std::string& value) {
    mapping().parameters.push_back({config.text(name), config.text(value), AttributeType::float64});
  }
  Planned plan() const { return plan_of(config, model); }

 private:
  void describe(const std::string& name, const std::string& axis) {
    DimensionConfig said;
    said.name = config.text(name);
    said.axis = config.text(axis);
    config.config.dimensions.push_back(std::move(said));
  }
};

const PlannedDimension& dimension_of(const Plan& plan, const std::string& name) {
  return *std::ranges::find(plan.dimensions, name, &PlannedDimension::name);
}

TEST(Projections, have_a_variable_with_their_parameters_in_each_file) {
  Case one;

  const Planned planned = one.plan();

  ASSERT_EQ(planned.findings.text(), "");
  ASSERT_EQ(planned.plan.files[0].containers.size(), 1U);
  const Container& pole = planned.plan.files[0].containers[0];
  EXPECT_EQ(pole.name, "pole");
  EXPECT_EQ(attribute(pole.attributes, "grid_mapping_name"), "rotated_latitude_longitude");
  EXPECT_EQ(pole.attributes[1].name, "grid_north_pole_latitude");
  EXPECT_EQ(std::get<AttributeNumbers>(pole.attributes[1].value).reals, std::vector<double>{39.25});
  EXPECT_EQ(attribute(planned.plan.variables[0].attributes, "grid_mapping"), "pole");
  for (const Variable& place : planned.plan.statics)
    EXPECT_EQ(attribute(place.attributes, "grid_mapping"), "(none)");
}

TEST(Projections, name_the_coordinates_as_CF_does) {
  Case one;

  const Plan plan = one.plan().plan;

  const PlannedDimension &x = dimension_of(plan, "rlon"), &y = dimension_of(plan, "rlat");
  EXPECT_EQ(x.standard_name + " " + x.axis + " " + x.units, "grid_longitude X degrees");
  EXPECT_EQ(y.standard_name + " " + y.axis + " " + y.units, "grid_latitude Y degrees");
}

TEST(Projections, of_one_mapping_have_one_variable_on_several_grids) {
  Case one;
  one.config.config.grids.push_back(one.grid());
  one.config.config.grids.back().name = one.config.text("u");
  one.model.distributed("u", {"rlon", "rlat"});
  FieldConfig field = one.config.config.data_groups.back().fields.front();
  field.name = one.config.text("u");
  field.grid.value = "u";
  one.config.config.data_groups.back().fields.push_back(field);
  one.config.include("u");

  const Planned planned = one.plan();

  ASSERT_EQ(planned.findings.text(), "");
  EXPECT_EQ(planned.plan.files[0].containers.size(), 1U);
}

/// A check without a model finds it as well.
void expect_refused(Case& one, const Location& where, const std::string& part) {
  expect_only_error(checked(one.config), where, part);
  expect_only_error(one.plan().findings, where, part);
}

TEST(Projections, whose_directions_nothing_tells_are_errors) {
  Case one;
  one.rlon().axis = {};
  expect_refused(one, one.grid().grid_mapping.where,
                 "which of its dimensions \"rlat\" and \"rlon\" runs along x? Say axis=\"X\" and axis=\"Y\"");
}

TEST(Projections, along_other_than_two_dimensions_are_errors) {
  Case one;
  one.grid().dimensions.pop_back();
  one.grid().latitude = one.grid().longitude = Text{};
  one.grid().area = Text{};
  expect_refused(one, one.grid().grid_mapping.where, "lie along two dimensions, and this grid has 1");
}

TEST(Projections, with_names_of_others_are_errors) {
  Case one;
  one.rlon().standard_name = one.config.text("projection_x_coordinate");
  expect_refused(one, one.grid().grid_mapping.where,
                 "its dimension \"rlon\" has the standard_name \"projection_x_coordinate\", and "
                 "rotated_latitude_longitude has \"grid_longitude\"");
}

TEST(Projections, that_are_unknown_are_errors) {
  Case one;
  one.grid().grid_mapping.value = "pol";
  expect_refused(one, one.grid().grid_mapping.where,
                 "grid \"eu\": no grid_mapping \"pol\"; did you mean \"pole\"?");
}

TEST(Projections, without_coordinates_are_errors) {
  Case one;
  for (RankDescription& rank : one.model.model.ranks) rank.dimensions[0].coordinates.clear();
  expect_only_error(one.plan().findings, one.grid().grid_mapping.where,
                    "its dimension \"rlon\" has no coordinates");
}

TEST(Projections, on_a_plane_need_units) {
  Case one;
  one.mapping().kind.value = "lambert_conformal_conic";
  one.rlon().units = one.config.text("km");
  expect_only_error(one.plan().findings, one.grid().grid_mapping.where,
                    "its dimension \"rlat\" has no units; the model gives them, or units=\"m\"");
}

TEST(Projections, cannot_have_the_name_of_a_variable) {
  Case one;
  one.mapping().name.value = "t";
  one.grid().grid_mapping.value = "t";
  expect_refused(one, one.mapping().name.where,
                 "what describes \"t\" cannot be a variable of file \"f.nc\": \"t\" is the name of another");
}

TEST(Projections, that_nobody_uses_are_noted) {
  Case one;
  one.grid().grid_mapping = Text{};
  expect_finding(checked(one.config), Severity::note, one.mapping().name.where,
                 "grid_mapping \"pole\" is not used: no grid has grid_mapping=\"pole\"");
}

TEST(Projections, of_latitudes_and_longitudes_leave_dimensions_alone) {
  Case one;
  one.mapping().kind.value = "latitude_longitude";
  const Planned planned = one.plan();
  EXPECT_EQ(planned.findings.text(), "");
  EXPECT_EQ(dimension_of(planned.plan, "rlon").standard_name, "");
  EXPECT_EQ(attribute(planned.plan.variables[0].attributes, "grid_mapping"), "pole");
}

}  // namespace
}  // namespace pileus::planning_test
