#include "files/coarse_levels.h"

#include <gtest/gtest.h>

namespace pileus {
namespace {

FileAttribute text(const char* name, const char* value) { return {name, std::string(value)}; }

/// Five points along x with bounds, two along z.
FileDefinition definition() {
  FileDefinition all;
  all.levels.count = 3;
  all.dimensions = {{"x", 5, {0, 1, 2, 3, 4}, {text("units", "m")}, {-1, 0, 0, 1, 1, 2, 2, 3, 3, 5}},
                    {"z", 2, {10, 20}, {}},
                    {"corner", 4, {}, {}}};
  return all;
}

std::vector<std::string> names_of_statics(const FileDefinition& definition) {
  std::vector<std::string> names;
  for (const FileStatic& one : definition.statics) names.push_back(one.name);
  return names;
}

TEST(CoarseLevels, have_the_means_of_coordinates_and_the_bounds_of_both_ends) {
  FileDefinition all = definition();

  const std::uint32_t place = place_in_level(0, 1, 2, all);

  const FileDimension& made = all.dimensions.at(place);
  EXPECT_EQ(made.name, "1/x");
  EXPECT_EQ(made.size, 3);
  EXPECT_EQ(made.coordinates, (std::vector<double>{0.5, 2.5, 4}));
  EXPECT_EQ(made.bounds, (std::vector<double>{-1, 1, 1, 3, 3, 5}));
  EXPECT_EQ(made.attributes, all.dimensions[0].attributes);
  EXPECT_EQ(place_in_level(0, 1, 2, all), place) << "it is there once";
  EXPECT_NE(place_in_level(0, 2, 4, all), place);
}

TEST(CoarseLevels, keep_dimensions_that_do_not_become_shorter) {
  FileDefinition all = definition();

  const FileDimension made = all.dimensions.at(place_in_level(1, 2, 1, all));

  EXPECT_EQ(made.name, "2/z");
  EXPECT_EQ(made.coordinates, (std::vector<double>{10, 20}));
}

TEST(CoarseLevels, have_statics_that_have_means_or_stay) {
  FileDefinition all = definition();
  all.statics = {{"lat", ElementType::float64, {0}, {text("bounds", "lat_corners")}},
                 {"lat_corners", ElementType::float64, {2, 0}, {}},
                 {"lon", ElementType::float64, {0}, {text("standard_name", "longitude")}},
                 {"area", ElementType::float32, {0}, {text("standard_name", "cell_area")}},
                 {"mask", ElementType::int32, {0}, {}},
                 {"kind", ElementType::int32, {}, {}},
                 {"a", ElementType::float64, {1}, {}},
                 {"other", ElementType::float64, {0}, {}}};

  add_statics_of_levels({2, 1, 1}, {7}, all);

  const std::vector<std::string> names = names_of_statics(all);
  EXPECT_EQ(std::vector(names.begin() + 8, names.end()),
            (std::vector<std::string>{"1/lat", "1/lon", "1/area", "1/kind", "1/a", "2/lat", "2/lon", "2/area",
                                      "2/kind", "2/a"}));
  EXPECT_TRUE(all.statics[8].attributes.empty()) << "corners are in the first level alone";
  EXPECT_EQ(all.statics[9].coarse->what, BlockValue::longitude);
  EXPECT_EQ(all.statics[10].coarse->what, BlockValue::sum);
  EXPECT_EQ(all.statics[12].coarse->lengths, (std::vector<Index>{1}));
  EXPECT_EQ(all.statics[13].coarse->lengths, (std::vector<Index>{4}));
  EXPECT_EQ(all.statics[13].coarse->of, 0U);
}

}  // namespace
}  // namespace pileus
