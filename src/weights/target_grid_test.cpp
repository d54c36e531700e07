#include "weights/target_grid.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "weights/gaussian_latitudes.h"

namespace pileus {
namespace {

std::string refusal(const std::string& cells) {
  try {
    read_target_grid(cells);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "it was taken";
}

TEST(TargetGridTest, regular_grid_has_longitudes_from_0_and_latitudes_from_south_to_north) {
  const TargetGrid grid = read_target_grid("r4x2");

  ASSERT_EQ(grid.dimensions.size(), 2u);
  EXPECT_EQ(grid.dimensions[0].name, "lon");
  EXPECT_EQ(grid.dimensions[0].values, (std::vector<double>{0, 90, 180, 270}));
  EXPECT_EQ(grid.dimensions[0].bounds, (std::vector<double>{-45, 45, 45, 135, 135, 225, 225, 315}));
  EXPECT_EQ(grid.dimensions[1].name, "lat");
  EXPECT_EQ(grid.dimensions[1].values, (std::vector<double>{-45, 45}));
  EXPECT_EQ(grid.dimensions[1].bounds, (std::vector<double>{-90, 0, 0, 90}));
  EXPECT_EQ(grid.size(), 8);
}

TEST(TargetGridTest, odd_number_of_latitudes_has_the_poles_with_half_cells) {
  const TargetGrid grid = read_target_grid("r8x5");

  EXPECT_EQ(grid.dimensions[1].values, (std::vector<double>{-90, -45, 0, 45, 90}));
  EXPECT_EQ(grid.dimensions[1].bounds,
            (std::vector<double>{-90, -67.5, -67.5, -22.5, -22.5, 22.5, 22.5, 67.5, 67.5, 90}));
}

TEST(TargetGridTest, one_latitude_is_the_equator) {
  const TargetGrid grid = read_target_grid("r8x1");

  EXPECT_EQ(grid.dimensions[1].values, std::vector<double>{0});
  EXPECT_EQ(grid.dimensions[1].bounds, (std::vector<double>{-90, 90}));
}

TEST(TargetGridTest, centres_of_a_fine_regular_grid_are_the_nearest_doubles) {
  const TargetGrid grid = read_target_grid("r3600x1800");

  EXPECT_EQ(grid.dimensions[0].values[3], 0.3);  // 3 times 0.1 is another number
  EXPECT_EQ(grid.dimensions[1].values[0], -89.95);
  EXPECT_EQ(grid.dimensions[1].values[1799], 89.95);
}

TEST(GaussianLatitudesTest, degrees_two_and_four_have_their_closed_forms) {
  const std::vector<double> two = gaussian_latitudes(1), four = gaussian_latitudes(2);

  // P_2 is 0 at sqrt(1/3), P_4 at sqrt(3/7 +- 2/7 sqrt(6/5)).
  const long double degrees = 180 / std::acos(-1.0L);
  const long double outer = std::sqrt(3.0L / 7 + 2.0L / 7 * std::sqrt(6.0L / 5));
  const long double inner = std::sqrt(3.0L / 7 - 2.0L / 7 * std::sqrt(6.0L / 5));
  EXPECT_EQ(two[0], static_cast<double>(std::asin(std::sqrt(1.0L / 3)) * degrees));
  EXPECT_EQ(two[1], -two[0]);
  EXPECT_EQ(four[0], static_cast<double>(std::asin(outer) * degrees));
  EXPECT_EQ(four[1], static_cast<double>(std::asin(inner) * degrees));
  EXPECT_EQ(four[3], -four[0]);
}

TEST(TargetGridTest, gaussian_grid_goes_from_north_to_south) {
  const TargetGrid grid = read_target_grid("F32");

  EXPECT_EQ(grid.kind, TargetGrid::Kind::gaussian);
  EXPECT_EQ(grid.dimensions[0].size, 128);
  EXPECT_EQ(grid.dimensions[0].values[1], 2.8125);
  EXPECT_EQ(grid.dimensions[1].size, 64);
  EXPECT_NEAR(grid.dimensions[1].values[0], 87.8637988392326, 1e-13);  // as `cdo griddes` prints it
  EXPECT_NEAR(grid.dimensions[1].values[63], -87.8637988392326, 1e-13);
  EXPECT_EQ(grid.dimensions[1].bounds.front(), 90);
  EXPECT_EQ(grid.dimensions[1].bounds.back(), -90);
  EXPECT_EQ(grid.dimensions[1].bounds[63], 0);  // the equator lies between two rows
}

TEST(TargetGridTest, healpix_has_cells_and_no_coordinates) {
  const TargetGrid grid = read_target_grid("hp4"), nested = read_target_grid("hp4_nested");

  ASSERT_EQ(grid.dimensions.size(), 1u);
  EXPECT_EQ(grid.dimensions[0].name, "cell");
  EXPECT_EQ(grid.size(), 192);
  EXPECT_TRUE(grid.dimensions[0].values.empty());
  EXPECT_FALSE(grid.is_nested);
  EXPECT_EQ(read_target_grid("hp4_ring").cells, "hp4");
  EXPECT_TRUE(nested.is_nested);
  EXPECT_EQ(nested.cells, "hp4_nest");
}

TEST(TargetGridTest, bounds_and_step_give_the_cells_between) {
  const TargetGrid grid = read_target_grid(" lat = 35:70:0.5, lon=-10:30:0.5");

  EXPECT_EQ(grid.cells, "lon=-10:30:0.5,lat=35:70:0.5");
  EXPECT_EQ(grid.dimensions[0].size, 80);
  EXPECT_EQ(grid.dimensions[0].values.front(), -9.75);
  EXPECT_EQ(grid.dimensions[0].bounds[1], -9.5);
  EXPECT_EQ(grid.dimensions[1].size, 70);
  EXPECT_EQ(grid.dimensions[1].values.back(), 69.75);
}

TEST(TargetGridTest, decimal_steps_do_not_add_up_errors) {
  const TargetGrid grid = read_target_grid("lon=0:0.9:0.1,lat=-90:90:0.1");

  EXPECT_EQ(grid.dimensions[0].values[3], 0.35);
  EXPECT_EQ(grid.dimensions[0].bounds[17], 0.9);
  EXPECT_EQ(grid.dimensions[1].size, 1800);
  EXPECT_EQ(grid.dimensions[1].values[1799], 89.95);
}

TEST(TargetGridTest, negative_step_goes_from_north_to_south) {
  const TargetGrid grid = read_target_grid("lon=0:360:90,lat=90:-90:-90");

  EXPECT_EQ(grid.dimensions[1].values, (std::vector<double>{45, -45}));
  EXPECT_EQ(grid.dimensions[1].bounds, (std::vector<double>{90, 0, 0, -90}));
}

TEST(TargetGridTest, descriptions_that_are_wrong_are_refused_with_a_reason) {
  EXPECT_EQ(refusal("N80"), "grid \"N80\": what CDO calls so is the regular Gaussian grid; write F80");
  for (const char* cells :
       {"", "r360", "r360x", "rx180", "r-1x2", "F", "F3.5", "hp", "hp4_up", "O80", "gme4", "lon=0:10:1",
        "lon=0:10:1,lon=0:10:1", "lon=0:10:1,lat=0:10:1,lat=0:10:1x", "r360x180 r1x1"}) {
    EXPECT_TRUE(refusal(cells) != "it was taken") << cells;
  }
  EXPECT_EQ(refusal("r0x180"), "grid \"r0x180\" has no cells");
  EXPECT_EQ(refusal("F0"), "grid \"F0\" has no cells");
  EXPECT_EQ(refusal("r100000x100000"), "grid \"r100000x100000\" has more than 2^31 cells");
  EXPECT_EQ(refusal("r99999999999999999999x1"), "grid \"r99999999999999999999x1\" has more than 2^31 cells");
  EXPECT_EQ(refusal("F99999999999999999999"), "grid \"F99999999999999999999\" has more than 2^31 cells");
  EXPECT_EQ(refusal("hp9999999999999999999"), "grid \"hp9999999999999999999\" has more than 2^31 cells");
  EXPECT_EQ(refusal("r2000000x1"), "grid \"r2000000x1\" has more than 2^20 longitudes or latitudes");
  EXPECT_EQ(refusal("hp3_nest"), "grid \"hp3_nest\": in nested order the number is a power of two");
}

TEST(TargetGridTest, bounds_and_steps_that_do_not_fit_are_refused) {
  const auto of_lon = [](const std::string& axis) { return refusal("lon=" + axis + ",lat=0:10:1"); };
  const auto of_lat = [](const std::string& axis) { return refusal("lon=0:10:1,lat=" + axis); };

  EXPECT_EQ(of_lon("0:10:3"), "lon=0:10:3: the step does not divide the range into whole cells");
  EXPECT_EQ(of_lon("0:10:0"), "lon=0:10:0: this step never comes from the first bound to the second");
  EXPECT_EQ(of_lon("0:10:-1"), "lon=0:10:-1: this step never comes from the first bound to the second");
  EXPECT_EQ(of_lon("5:5:1"), "lon=5:5:1: there is nothing between these bounds");
  EXPECT_EQ(of_lon("0:361:1"), "lon=0:361:1: this is more than once around the globe");
  EXPECT_EQ(of_lon("0:10"), "lon=0:10: expected FROM:TO:STEP, three numbers in degrees");
  EXPECT_EQ(of_lon("0:ten:1"), "lon=0:ten:1: expected FROM:TO:STEP, three numbers in degrees");
  EXPECT_EQ(of_lon("0:nan:1"), "lon=0:nan:1: expected FROM:TO:STEP, three numbers in degrees");
  EXPECT_EQ(of_lat("0:91:1"), "lat=0:91:1: latitudes lie between -90 and 90");
  EXPECT_EQ(of_lat("0:90:1e-12"), "lat=0:90:1e-12: these are too many cells");
}

TEST(TargetGridTest, name_of_a_file_of_weights_has_no_odd_characters) {
  EXPECT_EQ(weights_file_name("ocean", "one_degree", "conservative"), "ocean-to-one_degree-conservative.nc");
  EXPECT_EQ(weights_file_name("a/b", "lon=0:1:1, lat=0:1:1", "nearest"),
            "a_b-to-lon_0_1_1_lat_0_1_1-nearest.nc");
}

}  // namespace
}  // namespace pileus
