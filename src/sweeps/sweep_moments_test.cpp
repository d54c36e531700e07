// The moments of long cells are exact, whatever their tiles leave to add.

#include "sweeps/sweep_moments.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "loops/testing/every_kernel.h"
#include "loops/testing/random_values.h"

namespace pileus {
namespace {

using pileus::testing::below;
using pileus::testing::Random;
using Values = std::vector<double>;

std::vector<std::byte> bytes_of(const Partial& partial) {
  std::vector<std::byte> bytes;
  partial.encode(bytes);
  return bytes;
}

/// Numbers of one sign with all bits, whose sums soon have more bits than a double.
Values positive_values(Random& random, const SweepShape& shape) {
  Values values(as_size(shape.size()));
  for (double& value : values) value = 1 + std::fabs(pileus::testing::around_one(random, 0));
  return values;
}

detail::ValueRange one_to_two() { return detail::ValueRange::of(2, std::nextafter(1.0, 0.0)); }

class EverySweepMoments : public pileus::testing::EveryKernel {};

TEST_P(EverySweepMoments, are_those_of_partials_in_cells_of_any_length) {
  Random random(3);
  for (const bool are_side_by_side : {false, true}) {
    for (const Index length : {1, 15, 1000, 20000}) {
      const SweepShape shape{3, length, are_side_by_side};
      const Values x = positive_values(random, shape), y = positive_values(random, shape);
      SweepMoments squares(shape, true), pairs(shape, false);
      const std::vector<detail::ValueRange> ranges(3, one_to_two());
      for (const SweepShape::Band& band : shape.bands()) {
        squares.begin(band, ranges, ranges);
        pairs.begin(band, ranges, ranges);
        shape.for_each_tile(band, [&](Index first, Index elements) {
          squares.add(&x[as_size(first)], &x[as_size(first)], elements);
          pairs.add(&x[as_size(first)], &y[as_size(first)], elements);
        });
        squares.end();
        pairs.end();
      }
      for (Index cell = 0; cell < 3; ++cell) {
        Partial variance(Reduction::variance), covariance(Reduction::covariance);
        Partial reversed(Reduction::covariance);
        for (Index i = 0; i < length; ++i) {
          const std::size_t at = as_size(shape.first_of(cell) + i * shape.stride());
          variance.add(x[at]);
          covariance.add_pairs({std::span(&x[at], 1)}, {std::span(&y[at], 1)});
          reversed.add_pairs({std::span(&y[at], 1)}, {std::span(&x[at], 1)});
        }
        const std::size_t c = as_size(cell);
        ASSERT_TRUE(squares.holds(c) && pairs.holds(c));
        EXPECT_TRUE(bytes_of(squares.of_cell(c, Reduction::variance, false)) == bytes_of(variance)) << length;
        EXPECT_TRUE(bytes_of(pairs.of_cell(c, Reduction::covariance, false)) == bytes_of(covariance));
        EXPECT_TRUE(bytes_of(pairs.of_cell(c, Reduction::covariance, true)) == bytes_of(reversed));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, EverySweepMoments, ::testing::ValuesIn(detail::sum_kernels()),
                         [](const auto& tested) { return std::string(tested.param->name); });

TEST(SweepMoments, hold_no_cell_whose_values_are_unknown_or_too_different) {
  const SweepShape shape{3, 2, true};
  SweepMoments moments(shape, true);
  const auto wide = detail::ValueRange::of(0x1p40, 1);
  const std::vector<detail::ValueRange> ranges = {one_to_two(), detail::ValueRange::unknown(), wide};

  moments.begin(shape.bands().front(), ranges, ranges);

  EXPECT_TRUE(moments.holds(0));
  EXPECT_FALSE(moments.holds(1));
  EXPECT_FALSE(moments.holds(2));
}

}  // namespace
}  // namespace pileus
