// Dimensions and scalar coordinates of files of CMIP.

#include "layout/cmip/cmip_layout.h"

#include "layout/test_config.h"

namespace pileus::planning_test {
namespace {

CmipCoordinate entry(const std::string& name, const std::string& standard_name, const std::string& units,
                     const std::string& axis) {
  CmipCoordinate made;
  made.entry = made.name = name;
  made.standard_name = standard_name;
  made.units = units;
  made.axis = axis;
  return made;
}

CmipDimension dimension(CmipCoordinate one) { return {one.entry, {std::move(one)}}; }

/// A field on longitude, latitude and pressure, which the model calls x, y and p, in hPa.
struct Case {
  ConfigBuilder config;
  ModelBuilder model{2};
  CmipFile cmip;
  double top_hPa = 250;

  Case() {
    config.group("state");
    config.field("t", "x,y,p", true);
    describe("x", "X", "longitude");
    describe("y", "Y", "latitude");
    describe("p", "Z", "air_pressure");
    CmipCoordinate latitude = entry("lat", "latitude", "degrees_north", "Y");
    latitude.needs_bounds = true;
    CmipCoordinate pressure = entry("plev", "air_pressure", "Pa", "Z");
    pressure.entry = "plev2";
    pressure.positive = "down";
    pressure.requested = {85000, 25000};
    cmip.dimensions = {dimension(entry("lon", "longitude", "degrees_east", "X")), dimension(latitude),
                       dimension(pressure)};
  }

  void describe(const std::string& name, const std::string& axis, const std::string& standard_name) {
    DimensionConfig said;
    said.name = config.text(name);
    said.axis = config.text(axis);
    said.standard_name = config.text(standard_name);
    config.config.dimensions.push_back(std::move(said));
  }

  Planned plan() {
    model.dimension("x", 3).dimension("y", 2).dimension("p", 2).distributed("t", {"x", "y", "p"});
    for (RankDescription& rank : model.model.ranks) {
      rank.dimensions[0].coordinates = {0, 120, 240};
      rank.dimensions[1].coordinates = {-60, 60};
      rank.dimensions[2].coordinates = {850, top_hPa};
      rank.dimensions[2].units = "hPa";
    }
    config.file("f.nc").include("t", "averaged");
    config.config.files.back().includes.back().name = config.text("ta");
    config.config.files.back().cmip = cmip;
    return plan_of(config, model);
  }
};

const PlannedDimension& own(const Plan& plan, const std::string& name) {
  for (const auto& [id, written] : plan.files[0].dimension_names)
    if (written == name) return plan.files[0].own_dimensions.at(id);
  throw std::runtime_error("no dimension " + name);
}

TEST(CmipLayout, dimensions_have_names_units_and_bounds_of_the_table) {
  Case one;

  const Planned planned = one.plan();

  ASSERT_EQ(planned.findings.text(), "");
  const PlannedDimension& latitude = own(planned.plan, "lat");
  EXPECT_EQ(latitude.bounds, (std::vector<double>{-90, 0, 0, 90})) << "cells end at the poles";
  const PlannedDimension& pressure = own(planned.plan, "plev");
  EXPECT_EQ(pressure.coordinates, (std::vector<double>{85000, 25000}));
  EXPECT_EQ(pressure.units + " " + pressure.positive, "Pa down");
  EXPECT_EQ(own(planned.plan, "lon").bounds.size(), 0U);
  EXPECT_TRUE(planned.plan.files[0].is_of_cmip);
}

TEST(CmipLayout, no_value_is_the_number_of_the_table) {
  Case one;

  const Planned planned = one.plan();

  const Variable& variable = planned.plan.variables.at(0);
  EXPECT_EQ(variable.fill_value, 1e20);
  const auto missing = std::ranges::find(variable.attributes, "missing_value", &Attribute::name);
  ASSERT_NE(missing, variable.attributes.end());
  EXPECT_EQ(std::get<AttributeNumbers>(missing->value).reals, std::vector<double>{1e20});
}

TEST(CmipLayout, scalars_are_coordinates_of_the_variable) {
  Case one;
  CmipCoordinate height = entry("height2m", "height", "m", "Z");
  height.name = "height";
  height.value = "2.";
  height.bounds = {0, 4};
  CmipCoordinate kind = entry("type", "area_type", "", "");
  kind.is_text = true;
  kind.value = "land";
  one.cmip.scalars = {height, kind};

  const Planned planned = one.plan();

  ASSERT_EQ(planned.findings.text(), "");
  const std::vector<PlannedScalar>& scalars = planned.plan.files[0].scalars;
  ASSERT_EQ(scalars.size(), 2U);
  EXPECT_EQ(std::get<double>(scalars[0].value), 2);
  EXPECT_EQ(text_of(scalars[0].attributes, "units"), "m");
  EXPECT_EQ(std::get<std::string>(scalars[1].value), "land");
  EXPECT_EQ(text_of(planned.plan.variables.at(0).attributes, "coordinates"), "height type");
}

TEST(CmipLayout, levels_that_are_others_are_an_error) {
  Case one;
  one.top_hPa = 300;

  const std::string text = one.plan().findings.text();

  EXPECT_NE(text.find("the table wants the levels 85000, 25000 of \"plev2\", in this order, and dimension "
                      "\"p\" has 85000, 30000"),
            std::string::npos)
      << text;
}

TEST(CmipLayout, dimensions_that_lack_or_are_too_many_are_errors) {
  Case lacks, has_more, of_texts;
  lacks.cmip.dimensions.push_back(dimension(entry("tau", "atmosphere_optical_thickness", "1", "")));
  has_more.cmip.dimensions.pop_back();
  CmipCoordinate basin = entry("basin", "region", "", "");
  basin.is_text = true;
  of_texts.cmip.dimensions.push_back(dimension(basin));

  const auto text = [](Case& one) { return one.plan().findings.text(); };
  EXPECT_NE(text(lacks).find("\"ta\" has no dimension \"tau\" (atmosphere_optical_thickness)"),
            std::string::npos);
  EXPECT_NE(text(has_more).find("has the dimension \"p\", of which the table says nothing"),
            std::string::npos);
  EXPECT_NE(text(of_texts).find("dimensions of texts are not made"), std::string::npos);
}

TEST(CmipLayout, levels_of_the_model_are_what_cf_calls_them) {
  Case one;
  one.cmip.dimensions.back() = {
      "alevel",
      {entry("lev", "atmosphere_sigma_coordinate", "", "Z"), entry("lev", "air_pressure", "Pa", "Z")}};

  const Planned planned = one.plan();

  ASSERT_EQ(planned.findings.text(), "");
  EXPECT_EQ(own(planned.plan, "lev").standard_name, "air_pressure");
  EXPECT_EQ(own(planned.plan, "lev").coordinates.front(), 85000);
}

TEST(CmipLayout, what_is_fixed_is_written_once_without_a_time) {
  Case one;
  one.cmip.is_fixed = true;
  const std::string changes = one.plan().findings.text();
  Case fixed;
  fixed.cmip.is_fixed = true;
  fixed.config.config.data_groups[0].fields[0].is_static = true;

  const Planned planned = fixed.plan();

  EXPECT_NE(changes.find("its field has to be static=\"true\""), std::string::npos) << changes;
  ASSERT_EQ(planned.findings.errors().text(), "");
  EXPECT_TRUE(planned.plan.files[0].is_fixed);
  ASSERT_EQ(planned.plan.schedules.size(), 1U);
  EXPECT_TRUE(planned.plan.schedules[0].takes_last);
  EXPECT_EQ(planned.plan.statics.at(0).fill_value, 1e20);
}

}  // namespace
}  // namespace pileus::planning_test
