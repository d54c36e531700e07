#include "spectra/axes.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace pileus::spectra {
namespace {

Axis axis(std::size_t at, Index size, double spacing) {
  return {
      at,   at == 0 ? "x" : "y", size, spacing, std::vector<double>(static_cast<std::size_t>(size), 1), false,
      "m-1"};
}

TEST(Rings, each_mode_is_in_the_ring_nearest_to_it) {
  // Of 4 x 4 elements modes are at (0 ... 2, 0 1 2 1); sqrt(2) is nearest to 1, sqrt(5) to 2, sqrt(8) to 3.
  const Rings rings = rings_of(axis(0, 4, 1), axis(1, 4, 1));

  EXPECT_EQ(rings.width, 0.25);
  EXPECT_EQ(rings.count, 4);
  EXPECT_EQ(rings.of_mode, (std::vector<Index>{0, 1, 2, 1, 1, 2, 2, 2, 3, 1, 1, 2}));
}

TEST(Rings, none_is_empty) {
  for (const auto& [nx, ny] : {std::pair<Index, Index>{1, 1}, {1, 9}, {9, 1}, {2, 40}, {40, 3}, {17, 16}}) {
    for (const double dy : {1.0, 0.3, 7.0}) {
      const Rings rings = rings_of(axis(0, nx, 1), axis(1, ny, dy));
      for (Index ring = 0; ring < rings.count; ++ring)
        EXPECT_GT(std::ranges::count(rings.of_mode, ring), 0) << nx << " x " << ny << " at " << dy;
    }
  }
}

TEST(Axes, coordinates_that_were_floats_are_even_and_stretched_ones_are_not) {
  operators::Dimension x{
      "x", 4, {0, static_cast<double>(0.1F), static_cast<double>(0.2F), static_cast<double>(0.3F)}, "m"};
  const operators::Rule rule{{{"dimensions", "x"}, {"spacing", ""}}, {}};

  EXPECT_NEAR(axes_of(rule, {"w", operators::Type::float64, {x}}, Window::none)[0].spacing, 0.1, 1e-7);
  x.coordinates[2] = 0.21;
  EXPECT_THROW(axes_of(rule, {"w", operators::Type::float64, {x}}, Window::none), operators::ParameterError);
}

}  // namespace
}  // namespace pileus::spectra
