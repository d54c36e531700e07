// The variables of files: names, dimensions, attributes, types and missing values.

#include "layout/testing/grouped_fields.h"

namespace pileus {
namespace {

using namespace planning_test;

TEST(Files, the_same_field_twice_gets_what_tells_the_two_apart_as_suffix) {
  ConfigBuilder config = with_groups();
  config.file("f.nc");
  config.include("w", "averaged", 10);
  config.include("w", "instantaneous", 10);
  config.include("w", "instantaneous", 5);
  config.include("a", "averaged", 10);

  const Plan plan = plan_of(config, model_of_groups()).plan;

  EXPECT_EQ(variable_names(plan),
            (std::vector<std::string>{"w_averaged", "w_instantaneous_10", "w_instantaneous_5", "a"}));
}

TEST(Files, the_same_field_twice_in_the_same_way_is_an_error) {
  ConfigBuilder config = with_groups();
  config.members("all", {"w"});
  config.file("f.nc");
  config.include_group("all", "averaged", 10);
  const Location where = config.include("w", "averaged", 10).field.where;

  expect_only_error(checked(config), where,
                    "\"w\" is written twice to file \"f.nc\" in the same way; the first is at " +
                        config.config.files[0].includes[0].where.text());
}

TEST(Files, the_same_field_in_two_files_keeps_its_name) {
  ConfigBuilder config = with_groups();
  config.file("f.nc");
  config.include("w", "averaged", 10);
  config.file("g.nc");
  config.include("w", "instantaneous", 10);

  EXPECT_EQ(variable_names(plan_of(config, model_of_groups()).plan), (std::vector<std::string>{"w", "w"}));
}

TEST(Files, a_variable_named_like_a_dimension_or_a_time_axis_is_an_error) {
  ConfigBuilder config = with_groups();
  config.field("time");
  config.field("x");
  config.field("w_averaged");
  config.file("f.nc");
  const Location time = config.include("time").field.where;
  config.file("g.nc");
  config.include("w");
  const Location x = config.include("x").field.where;
  config.file("h.nc");
  config.include("w", "averaged");
  config.include("w");
  const Location variable = config.include("w_averaged").field.where;

  const Findings findings = checked(config);
  expect_finding(findings, Severity::error, time, "\"time\" is the name of the time axis there");
  expect_finding(findings, Severity::error, x, "\"x\" is the name of a dimension there");
  expect_finding(findings, Severity::error, variable, "\"w_averaged\" is the name of another variable (");
}

TEST(Files, dimensions_that_cannot_be_in_a_file_are_errors_before_the_run) {
  ModelBuilder bad(1);
  bad.dimension("time", 3).dimension("bnds", 2).dimension("a b", 4).dimension("x_bnds", 5);
  bad.distributed("t", {"time"}).distributed("b", {"bnds"}).distributed("a", {"a b"});
  bad.distributed("v", {"x_bnds"});
  ConfigBuilder config;
  config.group("raw");
  for (const auto& [field, size] : {std::pair{"t", "time"}, {"b", "bnds"}, {"v", "x_bnds"}, {"a", "a b"}})
    config.field(field, size, true);
  config.file("f.nc");
  const Location time = config.include("t", "averaged").field.where;
  const Location bounds = config.include("b", "averaged").field.where;
  const Location blank = config.include("a", "averaged").field.where;
  config.include("v", "averaged");
  config.file("g.nc");
  config.include("b", "instantaneous");  // only averages have the dimension bnds

  const Findings findings = plan_of(config, bad).findings;

  expect_finding(
      findings, Severity::error, time,
      "dimension \"time\" of the model cannot be in file \"f.nc\": it is the name of the time axis there");
  expect_finding(findings, Severity::error, bounds, "it is the name of the dimension of bounds there");
  expect_finding(findings, Severity::error, blank, "a name is made of letters, digits");
  EXPECT_EQ(findings.all().size(), 3U) << findings.text();
}

TEST(Files, coordinates_that_turn_back_are_warned_of) {
  ModelBuilder turning(1);
  turning.dimension("x", 3).dimension("y", 3);
  turning.model.ranks[0].dimensions[0].coordinates = {1, 2, 2};
  turning.model.ranks[0].dimensions[1].coordinates = {3, 2, 1};
  turning.distributed("u", {"x"}).distributed("v", {"y"});
  ConfigBuilder config;
  config.group("raw");
  config.field("u", "x", true);
  config.field("v", "y", true);
  config.file("f.nc");
  const Location where = config.include("u").field.where;
  config.include("v");

  const Findings findings = plan_of(config, turning).findings;

  expect_finding(findings, Severity::warning, where,
                 "dimension \"x\" of the model has coordinates that neither");
  EXPECT_EQ(findings.all().size(), 1U) << findings.text();
}

TEST(Files, attributes_say_what_the_configuration_says_and_no_more) {
  ConfigBuilder config = with_groups();
  FieldConfig& field = config.config.data_groups[0].fields[0];
  field.metadata.standard_name = config.text("upward_air_velocity");
  field.metadata.units = config.text("m s-1");
  config.file("f.nc");
  config.include("w", "averaged");
  config.include("a", "none");

  const Plan plan = plan_of(config, model_of_groups()).plan;

  EXPECT_EQ(attribute(plan.variables[0].attributes, "long_name"), "w");
  EXPECT_EQ(attribute(plan.variables[0].attributes, "standard_name"), "upward_air_velocity");
  EXPECT_EQ(attribute(plan.variables[0].attributes, "units"), "m s-1");
  EXPECT_EQ(attribute(plan.variables[1].attributes, "units"), "(none)");
  EXPECT_EQ(attribute(plan.variables[1].attributes, "standard_name"), "(none)");
  EXPECT_EQ(attribute(plan.variables[1].attributes, "cell_methods"), "time_none: point");
}

TEST(Files, a_reduction_over_named_dimensions_is_a_cell_method) {
  ConfigBuilder config = with_groups();
  config.diagnostic("profile");
  config.localreduce("mean", "w", "l", "x,y");
  config.reduction("mean", "l", "profile");
  config.diagnostic("top");
  config.localreduce("max", "w", "t");
  config.reduction("max", "t", "top");
  config.diagnostic("scaled");
  config.arithmetic("2*profile", "scaled");
  config.file("f.nc");
  for (const char* name : {"profile", "top", "scaled"}) config.include(name, "averaged");

  const Plan plan = plan_of(config, model_of_groups()).plan;

  EXPECT_EQ(attribute(plan.variables[0].attributes, "cell_methods"), "area: mean time: mean");
  EXPECT_EQ(attribute(plan.variables[1].attributes, "cell_methods"), "area: maximum (over z) time: mean");
  EXPECT_EQ(attribute(plan.variables[2].attributes, "cell_methods"), "time: mean");
}

TEST(Files, a_diagnostic_has_the_type_that_it_declares) {
  ConfigBuilder config = with_groups();
  DiagnosticConfig& diagnostic = config.diagnostic("d");
  diagnostic.data_type = config.text("float");
  config.arithmetic("2*w", "d");
  config.file("f.nc");
  config.include("d");

  EXPECT_EQ(plan_of(config, model_of_groups()).plan.variables[0].type, ElementType::float32);
}

TEST(Variables, say_what_their_records_are_where_these_are_not_what_the_samples_are) {
  ConfigBuilder config;
  config.group("raw");
  Metadata& metadata = config.field("t").metadata;
  metadata.units = config.text("K");
  metadata.standard_name = config.text("air_temperature");
  metadata.long_name = config.text("air temperature");
  config.file("f.nc");
  for (const char* word : {"range", "skewness", "longest_run", "tendency", "time_of_maximum", "last"})
    config.include("t", word, 10);
  ModelBuilder model(1);

  const Plan plan = plan_of(config, model.field("t")).plan;

  std::vector<std::string> said;
  for (const Variable& variable : plan.variables) {
    std::string& one = said.emplace_back();
    for (const char* name : {"long_name", "standard_name", "units", "calendar", "cell_methods"})
      one += attribute(variable.attributes, name) + "|";
  }
  EXPECT_EQ(said, (std::vector<std::string>{
                      "air temperature|air_temperature|K|(none)|time_range_10: range|",
                      "skewness of air temperature|(none)|1|(none)|(none)|",
                      "longest run of air temperature|(none)|s|(none)|(none)|",
                      "tendency of air temperature|(none)|K s-1|(none)|(none)|",
                      "time of maximum of air temperature|(none)|seconds since 2000-01-01 00:00:00|"
                      "proleptic_gregorian|(none)|",
                      "last of air temperature|air_temperature|K|(none)|(none)|"}));
}

TEST(Variables, know_what_stands_for_no_value_in_their_records) {
  ConfigBuilder config;
  config.group("raw");
  config.field("ice").missing_value = -9;
  config.field("snow");
  config.diagnostic("both");
  config.arithmetic("ice + snow", "both");
  config.file("f.nc");
  config.include("ice", "none");
  config.include("ice", "averaged", 10);
  config.include("both", "none");
  config.include("snow", "none");
  ModelBuilder model(1);

  const Plan plan = plan_of(config, model.field("ice").field("snow")).plan;

  ASSERT_EQ(plan.variables.size(), 4U);
  EXPECT_EQ(plan.variables[0].missing_value, -9);
  EXPECT_EQ(plan.variables[1].missing_value, 0x1.ep+122);  // a mean of nothing has the fill value of netCDF
  EXPECT_EQ(plan.variables[2].missing_value, 0x1.ep+122);
  EXPECT_EQ(plan.variables[3].missing_value, std::nullopt);
}

}  // namespace
}  // namespace pileus
