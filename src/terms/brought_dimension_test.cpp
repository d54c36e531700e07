// What files say of the dimensions that regridding brings.

#include "terms/brought_dimension.h"

#include <gtest/gtest.h>

namespace pileus::planning {
namespace {

using Doubles = std::vector<double>;

/// A field over one dimension of the model, in blocks of two.
class DimensionOfBlocks : public ::testing::Test {
 protected:
  DimensionOfBlocks() {
    field_.dimensions = {DimensionId(0)};
    blocks_.axes = {0};
    blocks_.dimensions = {{"z_by_2", 3, {}, {}, "hPa"}};
    blocks_.dimensions[0].cut_from = 0;
    blocks_.dimensions[0].block = 2;
  }

  const PlannedDimension& of(PlannedDimension fine) {
    shapes_.dimensions = {std::move(fine)};
    const auto made = regridded_dimensions(field_, blocks_, shapes_, why_);
    return shapes_.dimensions[made.value().front().index];
  }

  Term field_;
  Regridding blocks_;
  Shapes shapes_;
  std::string why_;
};

TEST_F(DimensionOfBlocks, ends_where_the_cells_of_its_elements_do) {
  // Cells without bounds end half way to their neighbours.
  EXPECT_EQ(of({"z", 5, {0, 10, 20, 30, 40}, "hPa"}).bounds, (Doubles{-5, 15, 15, 35, 35, 45}));
  EXPECT_EQ(of({"z", 5, {40, 30, 20, 10, 0}, "hPa"}).bounds, (Doubles{45, 25, 25, 5, 5, -5}));
}

TEST_F(DimensionOfBlocks, keeps_the_order_of_bounds_that_are_given) {
  const Doubles rising = {0, 1, 1, 3, 3, 6, 6, 8, 8, 9}, turned = {8, 9, 6, 8, 3, 6, 1, 3, 0, 1};

  EXPECT_EQ(of({"z", 5, {}, "hPa", rising}).bounds, (Doubles{0, 3, 3, 8, 8, 9}));
  EXPECT_EQ(of({"z", 5, {}, "hPa", turned}).bounds, (Doubles{6, 9, 1, 6, 0, 1}));
}

TEST_F(DimensionOfBlocks, has_no_bounds_where_cells_are_not_known) {
  EXPECT_EQ(of({"z", 5, {}, "hPa"}).bounds, Doubles());
  EXPECT_EQ(of({"z", 5, {0, 2, 1, 3, 4}, "hPa"}).bounds, Doubles());
  EXPECT_EQ(of({"z", 1, {7}, "hPa"}).bounds, Doubles());
}

TEST_F(DimensionOfBlocks, is_what_the_fine_one_is) {
  const PlannedDimension& made =
      of({"z", 5, {0, 1, 2, 3, 4}, "hPa", {}, "air_pressure", "pressure", "Z", "down"});

  EXPECT_EQ(made.standard_name, "air_pressure");
  EXPECT_EQ(made.axis, "Z");
  EXPECT_EQ(made.positive, "down");
  EXPECT_EQ(made.long_name, "");
}

TEST(PlacedDimensions, are_not_those_of_other_points) {
  Shapes shapes;
  shapes.dimensions = {{"cell", 4, {}, ""}};
  Term field;
  field.dimensions = {DimensionId(0)};
  const auto to = [&](const std::string& name, const std::string& identity) {
    Regridding how;
    how.axes = {0};
    how.dimensions = {{name, 4}};
    how.places = std::make_shared<const PlacesOfCells>(
        PlacesOfCells{identity, "map", "lat", "lon", 0, {}, {}, {}, {}, {}});
    std::string why;
    return regridded_dimensions(field, how, shapes, why).has_value() ? "" : why;
  };

  EXPECT_EQ(to("cell", "a"), "its dimension \"cell\" is that of other points, and there is one of a name");
  EXPECT_EQ(to("face", "a"), "");
  EXPECT_EQ(to("face", "a"), "");
  EXPECT_EQ(to("face", "b"), "its dimension \"face\" is that of other points, and there is one of a name");
}

}  // namespace
}  // namespace pileus::planning
