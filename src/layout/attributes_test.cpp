#include "layout/attributes.h"

#include "layout/test_config.h"

namespace pileus::planning_test {
namespace {

/// A field "w" of a type, and a file "f.nc".
struct Case {
  ConfigBuilder config;
  ModelBuilder model{1};

  explicit Case(ElementType type = ElementType::float64) {
    config.group("raw").field("w");
    model.field("w", {}, type);
    config.file("f.nc");
  }
  FieldConfig& field() { return config.config.data_groups[0].fields[0]; }
  AttributeConfig attribute(const std::string& name, const std::string& value,
                            AttributeType type = AttributeType::text) {
    return {config.text(name), config.text(value), type};
  }
  Planned plan() const { return plan_of(config, model); }
};

std::vector<std::string> names(const Plan& plan) {
  std::vector<std::string> all;
  for (const Variable& variable : plan.variables) all.push_back(variable.name);
  return all;
}

AttributeNumbers numbers(const Variable& variable, const std::string& name) {
  const auto found = std::ranges::find(variable.attributes, name, &pileus::Attribute::name);
  return std::get<AttributeNumbers>(found->value);
}

TEST(Attributes, of_an_include_count_before_those_of_the_field) {
  Case one;
  one.field().metadata.attributes = {one.attribute("comment", "of the field"), one.attribute("grid", "C")};
  FileIncludeConfig& include = one.config.include("w");
  include.attributes = {one.attribute("comment", "of the file"), one.attribute("long_name", "rising air")};
  one.config.include("w", "averaged");

  const Planned planned = one.plan();

  ASSERT_EQ(planned.findings.text(), "");
  const auto of = [&](int variable, const char* name) {
    return attribute(planned.plan.variables.at(static_cast<std::size_t>(variable)).attributes, name);
  };
  EXPECT_EQ(of(0, "comment"), "of the file");
  EXPECT_EQ(of(0, "grid"), "C");
  EXPECT_EQ(of(0, "long_name"), "rising air");
  EXPECT_EQ(of(1, "comment"), "of the field");
  EXPECT_EQ(of(1, "long_name"), "w");
}

TEST(Attributes, of_a_file_count_before_those_of_all_files) {
  Case one;
  one.config.config.attributes = {one.attribute("institution", "Leeds"), one.attribute("source", "a model")};
  one.config.config.files[0].attributes = {one.attribute("source", "cumulus")};
  one.config.include("w");
  one.config.file("g.nc").include("w");

  const Plan plan = one.plan().plan;

  EXPECT_EQ(attribute(plan.files.at(0).attributes, "institution"), "Leeds");
  EXPECT_EQ(attribute(plan.files.at(0).attributes, "source"), "cumulus");
  EXPECT_EQ(attribute(plan.files.at(1).attributes, "source"), "a model");
}

TEST(Attributes, of_the_kind_of_their_variable_have_its_type_in_the_file) {
  for (const auto& [type, manipulation, expected] :
       {std::tuple{ElementType::float32, "instantaneous", ElementType::float32},
        {ElementType::float64, "averaged", ElementType::float64},
        {ElementType::int32, "instantaneous", ElementType::int32},
        {ElementType::int32, "averaged", ElementType::float64}}) {  // a mean of whole numbers is a double
    Case one(type);
    one.field().metadata.attributes = {one.attribute("valid_range", "-1, 5", AttributeType::as_variable)};
    one.config.include("w", manipulation);

    const Planned planned = one.plan();

    ASSERT_EQ(planned.findings.text(), "");
    const AttributeNumbers range = numbers(planned.plan.variables.at(0), "valid_range");
    EXPECT_EQ(range.type, expected);
    const bool is_whole = expected == ElementType::int32;
    EXPECT_EQ(range.reals, is_whole ? std::vector<double>() : (std::vector<double>{-1, 5}));
    EXPECT_EQ(range.integers, is_whole ? (std::vector<std::int64_t>{-1, 5}) : std::vector<std::int64_t>());
  }
}

TEST(Attributes, that_the_type_of_their_variable_cannot_hold_are_errors) {
  for (const auto& [type, value] : {std::pair{ElementType::int32, "0.5"},
                                    {ElementType::int32, "3000000000"},
                                    {ElementType::float32, "1e39"}}) {
    Case one(type);
    one.field().metadata.attributes = {one.attribute("valid_min", value, AttributeType::as_variable)};
    one.config.include("w");

    expect_only_error(one.plan().findings, one.field().metadata.attributes[0].value.where,
                      "attribute \"valid_min\" of \"w\" has the type ");
  }
}

TEST(Attributes, whole_numbers_take_64_bits_only_if_they_must) {
  Case one;
  one.field().metadata.attributes = {one.attribute("few", "7", AttributeType::integer),
                                     one.attribute("many", "1, 3000000000", AttributeType::integer)};
  one.config.include("w");

  const Plan plan = one.plan().plan;

  EXPECT_EQ(numbers(plan.variables.at(0), "few").type, ElementType::int32);
  EXPECT_EQ(numbers(plan.variables.at(0), "many").type, ElementType::int64);
}

TEST(Attributes, that_name_other_variables_are_held_against_the_file) {
  Case one;
  one.config.config.data_groups[0].fields.push_back(one.field());
  one.config.config.data_groups[0].fields[1].name = one.config.text("lat");
  one.model.field("lat");
  one.config.include("w").attributes = {one.attribute("coordinates", "lat lon")};
  one.config.include("lat");

  expect_only_error(one.plan().findings, one.config.config.files[0].includes[0].attributes[0].value.where,
                    "coordinates of \"w\": file \"f.nc\" has no variable \"lon\"");
}

TEST(Attributes, a_name_is_the_name_of_the_variable) {
  Case one;
  one.config.include("w").name = one.config.text("wind");
  one.config.include("w", "averaged");
  one.config.include("w", "maximum");

  const Planned planned = one.plan();

  EXPECT_EQ(planned.findings.text(), "");
  EXPECT_EQ(names(planned.plan), (std::vector<std::string>{"wind", "w_averaged", "w_maximum"}));
}

TEST(Attributes, a_field_that_is_left_alone_needs_no_suffix) {
  Case one;
  one.config.include("w").name = one.config.text("wind");
  one.config.include("w", "averaged");

  EXPECT_EQ(names(one.plan().plan), (std::vector<std::string>{"wind", "w"}));
}

TEST(Attributes, the_same_values_may_be_there_under_two_names) {
  Case one;
  one.config.include("w").name = one.config.text("wind");
  one.config.include("w");

  const Planned planned = one.plan();

  EXPECT_EQ(planned.findings.text(), "");
  EXPECT_EQ(names(planned.plan), (std::vector<std::string>{"wind", "w"}));
}

TEST(Attributes, a_name_that_files_cannot_have_is_an_error) {
  Case one;
  FileIncludeConfig& include = one.config.include("w");
  include.name = one.config.text("-w");

  expect_only_error(one.plan().findings, include.name.where, "names in files begin with a letter");
}

TEST(Attributes, names_that_meet_are_errors_with_both_places) {
  Case one;
  FileIncludeConfig& first = one.config.include("w");
  first.name = one.config.text("wind");
  const Location before = first.name.where;
  FileIncludeConfig& second = one.config.include("w", "averaged");
  second.name = one.config.text("wind");
  const Location where = second.name.where;

  expect_only_error(one.plan().findings, where,
                    "\"wind\" is the name of another variable (" + before.text() + ") there");
}

}  // namespace
}  // namespace pileus::planning_test
