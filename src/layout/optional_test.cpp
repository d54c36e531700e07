// Fields that the model does not register.

#include "layout/test_config.h"

namespace pileus {
namespace {

using namespace planning_test;

TEST(Optional, a_missing_optional_field_takes_its_whole_chain_with_it_in_one_warning) {
  ConfigBuilder config;
  config.group("raw");
  FieldConfig& field = config.field("qv", "?");
  field.is_optional = true;
  const Location where = field.name.where;
  config.field("dt");
  config.diagnostic("VWP");
  config.localreduce("sum", "qv", "l");
  config.reduction("sum", "l", "VWP");
  config.diagnostic("twice");
  config.arithmetic("2*VWP", "twice");
  config.file("a.nc");
  config.include("twice");
  config.include("dt");
  config.file("b.nc");
  config.include("VWP");
  config.include("dt", "averaged");

  const Planned planned = plan_of(config, ModelBuilder(1).field("dt"));

  EXPECT_EQ(planned.findings.text(), where.text() +
                                         ": warning: the model does not register the field \"qv\", which is "
                                         "optional: left out are diagnostic "
                                         "\"VWP\" (rules \"l\", \"VWP\"), diagnostic \"twice\" (rule "
                                         "\"twice\"), \"twice\" in file \"a.nc\", "
                                         "\"VWP\" in file \"b.nc\"");
  EXPECT_EQ(planned.plan.variables.size(), 2U);
  EXPECT_TRUE(planned.plan.rules.empty());
}

TEST(Optional, a_hundred_missing_fields_are_one_warning) {
  ConfigBuilder config;
  config.group("raw");
  config.field("dt");
  std::vector<Location> places;
  for (int i = 1; i <= 101; ++i) {
    FieldConfig& field = config.field("q" + std::to_string(i));
    field.is_optional = true;
    places.push_back(field.name.where);
  }
  config.file("a.nc");
  config.include("dt");
  for (int i = 1; i <= 101; ++i) config.include("q" + std::to_string(i));

  const std::string text = plan_of(config, ModelBuilder(1).field("dt")).findings.text();

  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  EXPECT_TRUE(text.starts_with(places[0].text() + ": warning: the model does not register 101 optional "
                                                  "fields: \"q1\", \"q2\", "))
      << text;
  EXPECT_NE(text.find("\"q20\" and 81 others; left out are \"q1\" in file \"a.nc\", "), std::string::npos)
      << text;
}

TEST(Optional, fields_along_a_dimension_of_size_0_are_left_out_with_what_is_made_of_them) {
  ConfigBuilder config;
  config.group("raw");
  config.field("dt");
  const Location where = config.field("q", "tracer,z").name.where;
  config.diagnostic("total");
  config.localreduce("sum", "q", "total");
  config.file("a.nc");
  config.include("dt");
  config.include("q");
  config.include("total");
  ModelBuilder model(2);
  model.dimension("z", 4).dimension("tracer", 0).field("q", {"z", "tracer"}).field("dt");

  const Planned planned = plan_of(config, model);

  EXPECT_EQ(planned.findings.text(),
            where.text() +
                ": warning: the model's dimension \"tracer\" has the size 0, so there is nothing of "
                "diagnostic \"total\" (rule \"total\"), \"q\" in file \"a.nc\", \"total\" in "
                "file \"a.nc\"");
  ASSERT_EQ(planned.plan.variables.size(), 1U);
  EXPECT_EQ(planned.plan.variables[0].name, "dt");
}

TEST(Optional, a_group_is_written_without_its_missing_member) {
  ConfigBuilder config;
  config.group("raw");
  config.field("u").is_optional = true;
  config.field("w");
  config.members("all", {"u", "w"});
  config.file("a.nc");
  config.include_group("all", "instantaneous", 5);

  const Planned planned = plan_of(config, ModelBuilder(1).field("w"));

  EXPECT_FALSE(planned.findings.has_errors());
  ASSERT_EQ(planned.plan.variables.size(), 1U);
  EXPECT_EQ(planned.plan.variables[0].name, "w");
}

TEST(Optional, a_file_that_has_nothing_left_is_not_written) {
  ConfigBuilder config;
  config.group("raw");
  config.field("u").is_optional = true;
  config.field("w");
  config.file("a.nc");
  config.include("u");
  config.file("b.nc");
  config.include("w");

  const Planned planned = plan_of(config, ModelBuilder(1).field("w"));

  expect_finding(planned.findings, Severity::warning, config.config.files[0].where,
                 "file \"a.nc\" is not written: nothing is left in it");
  ASSERT_EQ(planned.plan.files.size(), 1U);
  EXPECT_EQ(planned.plan.files[0].name, "b.nc");
  EXPECT_EQ(planned.plan.variables[0].file, FileId(0));
}

TEST(Optional, a_missing_optional_field_that_nothing_needs_is_not_worth_a_word) {
  ConfigBuilder config;
  config.group("raw");
  config.field("u").is_optional = true;
  config.field("w");
  config.file("b.nc");
  config.include("w");

  EXPECT_EQ(plan_of(config, ModelBuilder(1).field("w")).findings.text(), "");
}

TEST(Optional, a_missing_field_that_is_not_optional_is_an_error_where_it_is_needed) {
  ConfigBuilder config;
  config.group("raw");
  const Location where = config.field("theta").name.where;
  config.file("b.nc");
  config.include("theta");

  expect_only_error(
      plan_of(config, ModelBuilder(1).field("teta")).findings, where,
      "the model does not register the field \"theta\", which \"theta\" in file \"b.nc\" needs; did you "
      "mean \"teta\"?");
}

TEST(Optional, a_missing_field_that_nothing_needs_is_a_note) {
  ConfigBuilder config;
  config.group("raw");
  const Location where = config.field("theta").name.where;
  config.field("w");
  config.file("b.nc");
  config.include("w");

  const Planned planned = plan_of(config, ModelBuilder(1).field("w"));

  EXPECT_FALSE(planned.findings.has_errors());
  expect_finding(planned.findings, Severity::note, where, "nothing needs it");
}

TEST(Optional, what_the_model_registers_beyond_the_configuration_is_a_note) {
  ConfigBuilder config;
  config.group("raw");
  config.field("w");
  config.file("b.nc");
  config.include("w");

  const Planned planned = plan_of(config, ModelBuilder(1).field("w").field("more"));

  expect_finding(planned.findings, Severity::note, {}, "what the configuration does not mention: \"more\"");
  EXPECT_EQ(planned.plan.fields.size(), 1U);
}

}  // namespace
}  // namespace pileus
