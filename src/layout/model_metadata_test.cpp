#include "layout/model_metadata.h"

#include "layout/test_config.h"

namespace pileus::planning_test {
namespace {

/// A field "w" that two ranks of the model describe.
struct Case {
  ConfigBuilder config;
  ModelBuilder model{2};
  Findings findings;

  Case() {
    config.group("raw").field("w", "x", true);
    config.file("f.nc").include("w");
    model.dimension("x", 4).distributed("w", {"x"});
    for (std::size_t rank : {0, 1})
      model.registered(rank, "w").metadata = {"m s-1", "upward_air_velocity", "rising air"};
  }
  FieldConfig& field() { return config.config.data_groups[0].fields[0]; }
  void take() { take_metadata(model.model, config.config, findings); }
};

TEST(ModelMetadata, goes_into_files_where_the_configuration_says_nothing) {
  Case one;
  one.field().metadata.long_name = one.config.text("wind");

  one.take();

  EXPECT_EQ(one.findings.text(), "");
  const Plan plan = plan_of(one.config, one.model).plan;
  const std::vector<pileus::Attribute>& attributes = plan.variables.at(0).attributes;
  EXPECT_EQ(attribute(attributes, "units"), "m s-1");
  EXPECT_EQ(attribute(attributes, "standard_name"), "upward_air_velocity");
  EXPECT_EQ(attribute(attributes, "long_name"), "wind");
}

TEST(ModelMetadata, gives_way_to_units_of_the_configuration_with_a_warning) {
  Case one;
  one.field().metadata.units = one.config.text("km h-1");

  one.take();

  expect_finding(one.findings, Severity::warning, one.field().metadata.units.where,
                 "field \"w\" has the units \"m s-1\" in the model; files say \"km h-1\"");
  EXPECT_EQ(one.field().metadata.units.value, "km h-1");
}

TEST(ModelMetadata, differs_on_no_rank) {
  Case one;
  one.model.registered(1, "w").metadata.units = "km h-1";

  one.take();

  EXPECT_NE(one.findings.text().find("field \"w\" has other units or names on model rank 1"),
            std::string::npos)
      << one.findings.text();
}

TEST(ModelMetadata, is_that_of_the_field_of_the_namespace_or_of_the_one_that_is_there) {
  Case one;
  one.config.config.data_groups[0].scope = "inner";
  one.model.field("inner::w");
  for (std::size_t rank : {0, 1}) one.model.registered(rank, "inner::w").metadata.units = "Pa s-1";

  one.take();

  EXPECT_EQ(one.field().metadata.units.value, "Pa s-1");
  EXPECT_EQ(one.field().metadata.long_name.value, "");
}

}  // namespace
}  // namespace pileus::planning_test
