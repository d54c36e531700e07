#include "client/registration.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "core/error.h"

namespace pileus {
namespace {

ModelField field_over(std::vector<std::string> dimensions, std::vector<Index> start,
                      std::vector<Index> count) {
  return {"theta", ElementType::float64, std::move(dimensions), {std::move(start), std::move(count)}};
}

std::string complaint(const std::function<void()>& call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

class RegistrationTest : public testing::Test {
 protected:
  RegistrationTest() {
    registration.dimension({"x", 8, {}, ""});
    registration.dimension({"z", 2, {5, 15}, "m"});
  }
  std::string field_complaint(ModelField field) {
    const RankDescription before = registration.description();
    const std::string text = complaint([&] { registration.field(std::move(field)); });
    EXPECT_EQ(registration.description().fields, before.fields);
    return text;
  }
  Registration registration;
};

TEST_F(RegistrationTest, numbers_fields_from_0_and_starts_at_0_where_no_start_is_given) {
  EXPECT_EQ(registration.field(field_over({"x", "z"}, {}, {4, 2})), 0);
  EXPECT_EQ(registration.field({"p", ElementType::float32, {}, {}}), 1);
  EXPECT_EQ(registration[0].region.start, (std::vector<Index>{0, 0}));
}

TEST_F(RegistrationTest, gives_texts_and_maps_the_dimensions_that_their_kind_brings) {
  registration.text_field({"station", ElementType::character, {"x"}, {{2}, {4}}}, 16);
  registration.text_field({"case", ElementType::character, {}, {}}, 16);
  registration.map_field("options", 8, "z");

  EXPECT_EQ(registration[0],
            (ModelField{"station", ElementType::character, {"string_16", "x"}, {{0, 2}, {16, 4}}}));
  EXPECT_EQ(registration[1], (ModelField{"case", ElementType::character, {"string_16"}, {{0}, {16}}}));
  EXPECT_EQ(
      registration[2],
      (ModelField{
          "options", ElementType::character, {"string_8", "key_and_value", "z"}, {{0, 0, 0}, {8, 2, 2}}}));
  const auto& dimensions = registration.description().dimensions;
  ASSERT_EQ(dimensions.size(), 5U);
  EXPECT_EQ(dimensions[2], (ModelDimension{"string_16", 16, {}, ""}));
  EXPECT_EQ(dimensions[3], (ModelDimension{"string_8", 8, {}, ""}));
  EXPECT_EQ(dimensions[4], (ModelDimension{"key_and_value", 2, {}, ""}));
}

TEST_F(RegistrationTest, keeps_nothing_of_a_text_that_it_refuses) {
  registration.dimension({"string_4", 5, {}, ""});
  const RankDescription before = registration.description();

  EXPECT_EQ(complaint([&] {
              registration.text_field({"a", ElementType::character, {}, {}}, 0);
            }),
            "pileus_field: field \"a\" has texts of a length of 0; it must be at least 1");
  EXPECT_EQ(complaint([&] {
              registration.text_field({"a", ElementType::character, {}, {{}, {3}}}, 8);
            }),
            "pileus_field: field \"a\" is an array of texts; give names to its dimensions");
  EXPECT_EQ(complaint([&] {
              registration.text_field({"a", ElementType::character, {}, {}}, 4);
            }),
            "pileus_field: field \"a\" of texts needs the dimension \"string_4\" of size 4, but it is "
            "registered with size 5; give that one another name");
  EXPECT_EQ(complaint([&] { registration.map_field("a", 8, "y"); }),
            "pileus_field: field \"a\": dimension 3 (\"y\") is not registered; call pileus_dimension for it "
            "first");
  EXPECT_EQ(registration.description().dimensions, before.dimensions);
  EXPECT_EQ(registration.description().fields, before.fields);
}

TEST_F(RegistrationTest, takes_an_empty_part_at_the_end_of_a_dimension) {
  EXPECT_EQ(registration.field(field_over({"x"}, {8}, {0})), 0);
}

TEST_F(RegistrationTest, takes_a_nameless_shape) {
  EXPECT_EQ(registration.field(field_over({}, {}, {3, 4})), 0);
}

TEST_F(RegistrationTest, refuses_a_part_that_does_not_lie_in_its_dimension) {
  EXPECT_EQ(
      field_complaint(field_over({"x"}, {4}, {5})),
      "pileus_field: field \"theta\": dimension 1 (\"x\"): the part from 4 with 5 values does not lie in a "
      "dimension of size 8");
  EXPECT_NE(field_complaint(field_over({"x"}, {std::numeric_limits<Index>::max()}, {5})), "");
  EXPECT_EQ(field_complaint(field_over({"x", "z"}, {0, -1}, {8, 1})),
            "pileus_field: field \"theta\": dimension 2 (\"z\") starts at -1, counted from 0; in Fortran "
            "that is 0, counted from 1");
  EXPECT_EQ(field_complaint(field_over({"x"}, {0}, {-2})),
            "pileus_field: field \"theta\": dimension 1 (\"x\") has a count of -2; it must not be negative");
}

TEST_F(RegistrationTest, refuses_unknown_dimensions_and_suggests_the_nearest) {
  registration.dimension({"height", 2, {}, ""});
  EXPECT_EQ(field_complaint(field_over({"heigth"}, {0}, {2})),
            "pileus_field: field \"theta\": dimension 1 (\"heigth\") is not registered; call "
            "pileus_dimension for it "
            "first; did you mean \"height\"?");
}

TEST_F(RegistrationTest, refuses_shapes_that_do_not_fit_together) {
  EXPECT_NE(field_complaint(field_over({"x"}, {}, {1, 1})), "");
  EXPECT_NE(field_complaint(field_over({"x"}, {0, 0}, {1})), "");
  EXPECT_THROW(field_over({}, {}, {1, 1, 1, 1, 1, 1, 1}), UsageError);
  EXPECT_NE(field_complaint(field_over({}, {1}, {4})), "");
  EXPECT_NE(field_complaint(field_over({}, {}, {Index{1} << 40, Index{1} << 40})), "");
}

TEST_F(RegistrationTest, refuses_empty_and_known_names) {
  registration.field({"p", ElementType::float64, {}, {}});
  registration.option("case", "bubble");

  EXPECT_EQ(field_complaint({"p", ElementType::float64, {}, {}}),
            "pileus_field: field \"p\" is registered already; register it once");
  EXPECT_NE(field_complaint({"", ElementType::float64, {}, {}}), "");
  EXPECT_EQ(complaint([&] {
              registration.dimension({"x", 8, {}, ""});
            }),
            "pileus_dimension: dimension \"x\" is registered already; register it once");
  EXPECT_NE(complaint([&] { registration.dimension({"", 8, {}, ""}); }), "");
  EXPECT_EQ(complaint([&] { registration.option("case", "squall"); }),
            "pileus_option: \"case\" is set to \"bubble\" already; set it once");
  EXPECT_NE(complaint([&] { registration.option("", "squall"); }), "");
}

TEST_F(RegistrationTest, refuses_dimensions_without_size_and_coordinates_that_are_no_numbers) {
  EXPECT_EQ(complaint([&] {
              registration.dimension({"y", -1, {}, ""});
            }),
            "pileus_dimension: dimension \"y\" has size -1; it must be at least 0");
  EXPECT_NE(complaint([&] { registration.dimension({"y", 2, {1}, ""}); }), "");
  EXPECT_EQ(complaint([&] {
              registration.dimension({"y", 2, {1, std::numeric_limits<double>::infinity()}, ""});
            }),
            "pileus_dimension: dimension \"y\": coordinate 1 is not finite");
}

TEST_F(RegistrationTest, takes_bounds_that_hold_their_coordinates) {
  registration.dimension({"height", 2, {5, 15}, "m"});
  registration.dimension({"y", 2, {}, ""});
  const auto bounds = [&](const std::string& name, std::vector<double> values) {
    return complaint([&] { registration.dimension_bounds(name, std::move(values)); });
  };

  EXPECT_NE(bounds("y", {0, 1, 1, 2}), "");
  EXPECT_NE(bounds("heigth", {0, 10, 10, 20}), "");
  EXPECT_EQ(bounds("height", {0, 10}),
            "pileus_dimension_bounds: dimension \"height\" has 2 coordinates and 2 bounds; give two for each "
            "coordinate");
  EXPECT_EQ(bounds("height", {0, 10, 20, 30}),
            "pileus_dimension_bounds: dimension \"height\": coordinate 1 lies outside of its bounds");
  EXPECT_EQ(bounds("height", {10, 0, 20, 10}), "");  // downwards is fine
  EXPECT_EQ(bounds("height", {0, 10, 10, 20}),
            "pileus_dimension_bounds: dimension \"height\" has bounds already; give them once");
  const auto& registered = registration.description().dimensions;
  const auto height = std::ranges::find(registered, "height", &ModelDimension::name);
  EXPECT_EQ(height->bounds, (std::vector<double>{10, 0, 20, 10}));
}

TEST_F(RegistrationTest, takes_a_calendar_of_cf_and_an_epoch_that_exists_in_it) {
  const auto calendar = [&](const std::string& word, const std::string& epoch) {
    return complaint([&] { registration.calendar(word, epoch); });
  };

  EXPECT_NE(calendar("lunar", "").find("no calendar \"lunar\""), std::string::npos);
  EXPECT_EQ(
      calendar("noleap", "2000-02-29"),
      "pileus_calendar: the epoch \"2000-02-29\": 2000-02-29 does not exist in the calendar \"noleap\"");
  EXPECT_EQ(calendar("noleap", "29.2.2000"),
            "pileus_calendar: the epoch \"29.2.2000\" is no date; write it like \"2000-01-01 00:00:00\"");
  EXPECT_EQ(calendar("noleap", "2000-02-28"), "");
  EXPECT_NE(calendar("noleap", ""), "");
}

TEST_F(RegistrationTest, takes_the_step_after_which_the_run_continues_once) {
  const auto continue_after = [&](std::int64_t step) {
    return complaint([&] { registration.continue_after(step); });
  };

  EXPECT_EQ(continue_after(-1),
            "pileus_continue: there is no step -1; give that of a checkpoint, pileus_checkpoints lists them");
  EXPECT_FALSE(registration.description().continue_after);
  EXPECT_EQ(continue_after(0), "");
  EXPECT_EQ(continue_after(4), "pileus_continue: this run continues after step 0 already; say it once");
  EXPECT_EQ(registration.description().continue_after, 0);
}

TEST_F(RegistrationTest, keeps_what_files_say_of_a_field_once) {
  registration.field({"w", ElementType::float64, {}, {}});
  registration.field({"p", ElementType::float64, {}, {}});
  registration.field_metadata(1, {"Pa", "air_pressure", ""});

  EXPECT_EQ(registration[0].metadata, ModelMetadata());
  EXPECT_EQ(registration[1].metadata, (ModelMetadata{"Pa", "air_pressure", ""}));
  EXPECT_EQ(complaint([&] {
              registration.field_metadata(1, {"hPa", "", ""});
            }),
            "pileus_field_metadata: field \"p\" is described already; describe it once");
}

}  // namespace
}  // namespace pileus
