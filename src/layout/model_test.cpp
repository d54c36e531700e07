// Checks of what a model rank registers against the configuration and against the other ranks.

#include "layout/test_config.h"

namespace pileus {
namespace {

using namespace planning_test;

struct Case {
  ConfigBuilder config;
  Location field;  ///< place of the name of w
};

/// A field w(z,y,x), which is distributed and written.
Case one_field() {
  Case example;
  example.config.group("raw");
  example.field = example.config.field("w", "z,y,x", true).name.where;
  example.config.file("f.nc");
  example.config.include("w");
  return example;
}

FieldConfig& field_of(Case& example) { return example.config.config.data_groups[0].fields[0]; }

ModelBuilder model() {
  ModelBuilder model(3);
  model.dimension("z", 3).dimension("y", 4).dimension("x", 6);
  return model.distributed("w", {"z", "y", "x"});
}

TEST(Model, what_fits_is_planned) {
  const Planned planned = plan_of(one_field().config, model());

  EXPECT_EQ(planned.findings.text(), "");
  EXPECT_EQ(planned.plan.layout.clients, 3U);
  EXPECT_EQ(planned.plan.dimensions.size(), 3U);
  EXPECT_EQ(planned.plan.regions[2][0], (Region{{0, 0, 4}, {3, 4, 2}}));
}

TEST(Model, a_size_in_another_order_is_an_error) {
  Case example = one_field();
  ModelBuilder other(3);
  other.dimension("z", 3).dimension("y", 4).dimension("x", 6).distributed("w", {"x", "y", "z"});

  expect_only_error(plan_of(example.config, other).findings, field_of(example).size[0].where,
                    "field \"w\" has the size \"z,y,x\" here, but the dimensions \"x,y,z\" (fastest first) "
                    "on model rank 0");
}

TEST(Model, a_dimension_of_the_configuration_that_is_not_registered_is_an_error) {
  Case example = one_field();
  field_of(example).size[1].value = "yy";

  expect_only_error(plan_of(example.config, model()).findings, field_of(example).size[1].where,
                    "does not register the dimension \"yy\"; did you mean \"y\"?");
}

TEST(Model, a_dimension_of_a_field_that_is_not_registered_is_an_error) {
  Case example = one_field();
  field_of(example).has_size = false;
  ModelBuilder other(1);
  other.dimension("zed", 3).field("w", {"zeds"});
  other.registered(0, "w").region = {{0}, {3}};

  expect_only_error(
      plan_of(example.config, other).findings, example.field,
      "has the dimension \"zeds\" on model rank 0, which the model does not register; did you mean \"zed\"?");
}

TEST(Model, dimensions_of_different_sizes_are_an_error_that_names_the_ranks) {
  ModelBuilder other = model();
  other.model.ranks[2].dimensions[1].size = 5;

  expect_finding(plan_of(one_field().config, other).findings, Severity::error, {},
                 "dimension \"y\" on model rank 2 has the size 5, but 4 on model rank 0");
}

TEST(Model, coordinates_are_taken_from_the_first_rank_that_has_them) {
  ModelBuilder other = model();
  other.model.ranks[1].dimensions[0].coordinates = {1, 2, 3};
  other.model.ranks[1].dimensions[0].units = "m";

  EXPECT_EQ(plan_of(one_field().config, other).plan.dimensions[0].coordinates,
            (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(plan_of(one_field().config, other).plan.dimensions[0].units, "m");
}

TEST(Model, contradicting_or_too_few_coordinates_are_errors) {
  ModelBuilder contradicting = model(), few = model();
  contradicting.model.ranks[0].dimensions[0].coordinates = {1, 2, 3};
  contradicting.model.ranks[2].dimensions[0].coordinates = {1, 2, 4};
  few.model.ranks[1].dimensions[0].coordinates = {1, 2};

  expect_finding(plan_of(one_field().config, contradicting).findings, Severity::error, {},
                 "dimension \"z\" on model rank 2 has other coordinates than on model rank 0");
  expect_finding(plan_of(one_field().config, few).findings, Severity::error, {},
                 "dimension \"z\" on model rank 1 has 2 coordinates for 3 elements");
}

TEST(Model, ranks_that_register_different_dimensions_or_types_are_an_error) {
  const Case example = one_field();
  ModelBuilder dimensions = model(), type = model(), missing = model();
  dimensions.registered(1, "w").dimensions = {"z", "x", "y"};
  type.registered(2, "w").type = ElementType::float32;
  missing.model.ranks[1].fields.clear();

  expect_only_error(
      plan_of(example.config, dimensions).findings, example.field,
      "field \"w\" has the dimensions \"z,x,y\" on model rank 1, but \"z,y,x\" on model rank 0");
  expect_only_error(plan_of(example.config, type).findings, example.field,
                    "field \"w\" has the type \"float\" on model rank 2, but \"double\" on model rank 0");
  expect_only_error(plan_of(example.config, missing).findings, example.field,
                    "is not registered on model rank 1");
}

TEST(Model, a_region_outside_of_the_domain_is_an_error) {
  const Case example = one_field();
  ModelBuilder above = model(), below = model(), huge = model();
  above.registered(2, "w").region.count[2] = 3;
  below.registered(0, "w").region.start[1] = -1;
  huge.registered(0, "w").region.start[1] = INT64_MAX;

  expect_only_error(
      plan_of(example.config, above).findings, example.field,
      "on model rank 2 begins at 4 in dimension \"x\" and has 3 elements of it, but there are only 6");
  expect_only_error(plan_of(example.config, below).findings, example.field,
                    "begins at -1 in dimension \"y\"");
  EXPECT_TRUE(plan_of(example.config, huge).findings.has_errors());
}

TEST(Model, overlapping_regions_are_an_error_that_names_the_ranks) {
  const Case example = one_field();
  ModelBuilder other = model();
  other.registered(1, "w").region = {{0, 0, 1}, {3, 4, 3}};

  expect_only_error(plan_of(example.config, other).findings, example.field,
                    "model ranks 0 and 1 both hold a part of it, [0:3, 0:4, 0:2] and [0:3, 0:4, 1:4]");
}

TEST(Model, a_part_that_no_rank_holds_is_named_in_a_warning) {
  const Case example = one_field();
  ModelBuilder other = model();
  other.registered(1, "w").region.count[1] = 3;

  const Planned planned = plan_of(example.config, other);

  EXPECT_FALSE(planned.findings.has_errors());
  expect_finding(planned.findings, Severity::warning, example.field,
                 "no model rank holds [0:3, 3:4, 2:4] of it; files have _FillValue there");
}

TEST(Model, a_rank_may_hold_nothing) {
  ModelBuilder other = model();
  other.registered(1, "w").region.count[2] = 0;
  other.registered(2, "w").region = {{0, 0, 2}, {3, 4, 4}};

  EXPECT_EQ(plan_of(one_field().config, other).findings.text(), "");
}

TEST(Model, the_number_of_dimensions_has_to_be_that_of_the_configuration) {
  Case scalar = one_field();
  field_of(scalar).type.value = "scalar";
  field_of(scalar).is_collective = false;
  Case array;
  array.config.group("raw");
  const Location type = array.config.field("w", "?").type.where;
  array.config.file("f.nc");
  array.config.include("w");

  expect_only_error(plan_of(scalar.config, model()).findings, field_of(scalar).type.where,
                    "field \"w\" is a scalar here, but has 3 dimensions on model rank 0");
  expect_only_error(plan_of(array.config, ModelBuilder(1).field("w")).findings, type,
                    "field \"w\" is an array here, but a scalar on model rank 0");
}

TEST(Model, a_collective_field_without_names_for_its_dimensions_is_an_error) {
  Case example = one_field();
  field_of(example).has_size = false;

  expect_only_error(plan_of(example.config, ModelBuilder(2).nameless("w", {4, 4})).findings, example.field,
                    "is collective, but the model gives no names to its dimensions");
}

TEST(Model, a_field_of_which_each_rank_holds_a_part_has_to_be_collective) {
  Case example = one_field();
  field_of(example).is_collective = false;

  expect_only_error(plan_of(example.config, model()).findings, example.field,
                    "declare it collective=\"true\" if each rank holds a part");
}

TEST(Model, what_is_reduced_may_have_another_shape_on_each_rank) {
  ConfigBuilder config;
  config.group("raw");
  config.field("columns", "?");
  config.diagnostic("d");
  config.localreduce("sum", "columns", "l");
  config.reduction("sum", "l", "d");
  config.file("f.nc");
  config.include("d");
  ModelBuilder other(2);
  other.dimension("x", 6).distributed("columns", {"x"});

  const Planned planned = plan_of(config, other);

  EXPECT_EQ(planned.findings.text(), "");
  EXPECT_TRUE(planned.plan[planned.plan.fields[0].value].has_nameless_shape);
  EXPECT_EQ(planned.plan.regions[1][0], (Region{{0}, {3}}));
}

struct Types {
  const char* declared;
  ElementType registered, wire, file;
};

TEST(Model, types_may_differ_where_nothing_but_precision_is_lost) {
  using enum ElementType;
  const Types examples[] = {{"double", float64, float64, float64},
                            {"float", float64, float32, float32},
                            {"double", float32, float32, float64},
                            {"float", float32, float32, float32},
                            {"double", int32, float64, float64},
                            {"integer", int32, int32, int32},
                            {"", float64, float64, float64},
                            {"", int32, int32, int32},
                            {"", int64, int64, int64},
                            {"integer", int64, int64, int64},
                            {"", float32, float32, float32},
                            {"boolean", boolean, boolean, boolean},
                            {"double", boolean, boolean, float64},
                            {"integer", boolean, boolean, int32},
                            {"", boolean, boolean, boolean}};
  for (const Types& types : examples) {
    Case example = one_field();
    field_of(example).data_type.value = "";
    if (*types.declared != 0) field_of(example).data_type = example.config.text(types.declared);
    ModelBuilder other = model();
    for (std::size_t rank = 0; rank < 3; ++rank) other.registered(rank, "w").type = types.registered;

    const Planned planned = plan_of(example.config, other);

    EXPECT_EQ(planned.findings.text(), "");
    EXPECT_EQ(planned.plan.fields[0].type, types.wire) << types.declared;
    EXPECT_EQ(planned.plan.variables[0].type, types.file) << types.declared;
  }
}

TEST(Model, numbers_with_a_fraction_are_no_integers) {
  Case example = one_field();
  field_of(example).data_type = example.config.text("integer");

  expect_only_error(plan_of(example.config, model()).findings, field_of(example).data_type.where,
                    "field \"w\" is \"double\" in the model on model rank 0, which \"integer\" cannot hold");
}

TEST(Model, a_missing_value_that_no_element_can_have_is_an_error) {
  struct Missing {
    double value;
    ElementType registered;
    bool is_right;
  };
  for (const Missing& missing :
       {Missing{-999.9, ElementType::float32, true}, Missing{-1, ElementType::int32, true},
        Missing{-0x1p31, ElementType::int32, true}, Missing{0x1p31, ElementType::int32, false},
        Missing{0x1p31, ElementType::int64, true}, Missing{1e19, ElementType::int64, false},
        Missing{0.5, ElementType::int64, false}, Missing{1, ElementType::boolean, false}}) {
    Case example = one_field();
    field_of(example).data_type.value = "";
    if (missing.registered == ElementType::int32 || missing.registered == ElementType::int64)
      field_of(example).data_type = example.config.text("integer");
    field_of(example).missing_value = missing.value;
    ModelBuilder other = model();
    for (std::size_t rank = 0; rank < 3; ++rank) other.registered(rank, "w").type = missing.registered;

    const std::string found = plan_of(example.config, other).findings.text();

    EXPECT_EQ(found.find("never has this value") == found.npos, missing.is_right)
        << missing.value << ": " << found;
  }
}

TEST(Model, a_decomposition_over_thousands_of_ranks_is_checked_quickly) {
  const Index side = 60;
  ModelBuilder large(side * side);
  large.dimension("z", 10).dimension("y", 4 * side).dimension("x", 4 * side).field("w", {"z", "y", "x"});
  for (Index rank = 0; rank < side * side; ++rank) {
    large.registered(static_cast<std::size_t>(rank), "w").region = {{0, 4 * (rank % side), 4 * (rank / side)},
                                                                    {10, 4, 4}};
  }

  EXPECT_EQ(plan_of(one_field().config, large).findings.text(), "");
}

/// A text, a map and a truth value, which are written as they are.
TEST(Model, truth_values_texts_and_maps_are_written_as_such) {
  ConfigBuilder config;
  config.group("raw");
  config.field("is_wet").data_type = config.text("boolean");
  config.field("name").data_type = config.text("string");
  config.field("options").type.value = "map";
  config.file("f.nc");
  config.include("is_wet");
  config.include("name");
  config.include("options", "none");
  ModelBuilder other(2);
  other.dimension("string_8", 8).dimension("key_and_value", 2).dimension("options_entries", 3);
  other.field("is_wet", {}, ElementType::boolean).field("name", {"string_8"}, ElementType::character);
  other.field("options", {"string_8", "key_and_value", "options_entries"}, ElementType::character);

  const Planned planned = plan_of(config, other);

  EXPECT_EQ(planned.findings.text(), "");
  EXPECT_EQ(planned.plan.fields[0].type, ElementType::boolean);
  EXPECT_EQ(planned.plan.variables[0].type, ElementType::boolean);
  EXPECT_EQ(planned.plan.variables[1].type, ElementType::character);
  EXPECT_EQ(planned.plan.extents(planned.plan.fields[2].value), (std::vector<Index>{8, 2, 3}));
}

TEST(Model, texts_are_neither_computed_with_nor_averaged) {
  ConfigBuilder config;
  config.group("raw");
  config.field("name").data_type = config.text("string");
  config.diagnostic("twice");
  const Location equation = config.arithmetic("2*name", "twice").parameters.at("equation").where;
  config.file("f.nc");
  config.include("twice");
  const Location averaged = config.include("name", "averaged").time_manipulation.where;

  const Findings findings = checked(config);

  expect_finding(findings, Severity::error, equation,
                 "field \"name\" is a text, which can be written but not");
  expect_finding(findings, Severity::error, averaged, "its time_manipulation is instantaneous or none");
}

TEST(Model, a_map_that_is_no_map_is_an_error) {
  Case example = one_field();
  field_of(example).type.value = "map";

  expect_only_error(plan_of(example.config, model()).findings, field_of(example).type.where,
                    "field \"w\" is no map on model rank 0, but type=\"map\" here");
}

}  // namespace
}  // namespace pileus
