#include "weights/healpix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace pileus {
namespace {

using Doubles = std::vector<double>;

TEST(HealpixTest, has_the_twelve_base_cells_where_the_paper_has_them) {
  const auto places = healpix_places(1, false);

  // z is 2/3 in the four northern cells, 0 on the equator.
  const double north = std::asin(2.0 / 3) * 180 / std::acos(-1.0);
  const Doubles latitude = places->read(CellPart::latitude, 0, 12);
  EXPECT_NEAR(latitude[0], north, 1e-13);
  EXPECT_EQ(latitude[4], 0);
  EXPECT_EQ(latitude[11], -latitude[0]);
  EXPECT_EQ(places->read(CellPart::longitude, 0, 12),
            (Doubles{45, 135, 225, 315, 0, 90, 180, 270, 45, 135, 225, 315}));
}

TEST(HealpixTest, corners_go_against_the_clock_from_the_north) {
  const auto places = healpix_places(1, false);

  const double z = std::asin(2.0 / 3) * 180 / std::acos(-1.0);
  const Doubles latitude = places->read(CellPart::latitude_bounds, 4, 1);
  const Doubles expected = {z, 0, -z, 0};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(latitude[i], expected[i], 1e-13);
  EXPECT_EQ(places->read(CellPart::longitude_bounds, 4, 1), (Doubles{0, -45, 0, 45}));
  EXPECT_EQ(places->read(CellPart::latitude_bounds, 0, 1)[0], 90);
  EXPECT_EQ(places->read(CellPart::longitude_bounds, 0, 1)[0], 45);  // that of its centre
}

TEST(HealpixTest, both_orders_have_the_same_cells) {
  for (const Index n : {1, 2, 4, 8, 16}) {
    const auto ring = healpix_places(n, false), nested = healpix_places(n, true);
    const auto cells = [&](const PlacesOfCells& places) {
      const Doubles latitude = places.read(CellPart::latitude, 0, 12 * n * n);
      const Doubles longitude = places.read(CellPart::longitude, 0, 12 * n * n);
      std::vector<std::pair<double, double>> all;
      for (std::size_t i = 0; i < latitude.size(); ++i) all.emplace_back(-latitude[i], longitude[i]);
      return all;
    };

    auto sorted = cells(*nested);
    std::ranges::sort(sorted);
    EXPECT_EQ(cells(*ring), sorted) << n;  // from the north, then to the east
  }
}

TEST(HealpixTest, a_range_of_cells_is_that_part_of_all) {
  const auto places = healpix_places(3, false);

  const Doubles all = places->read(CellPart::longitude_bounds, 0, 108);
  const Doubles some = places->read(CellPart::longitude_bounds, 50, 7);
  EXPECT_EQ(some, Doubles(all.begin() + 200, all.begin() + 228));
}

}  // namespace
}  // namespace pileus
