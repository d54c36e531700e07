// What the loops of sweeps find and add up is exact in every set, whatever the numbers, where ranges say so.

#include "loops/sweep_loops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "loops/sum_kernel.h"
#include "loops/testing/every_kernel.h"
#include "loops/testing/random_values.h"
#include "loops/value_ranges.h"
#include "math/exact_sum.h"
#include "math/extremum.h"

namespace pileus::detail {
namespace {

using testing::below;
using testing::Random;
using Values = std::vector<double>;

std::uint64_t bits_of(double value) { return std::bit_cast<std::uint64_t>(value); }

/// Rows of columns that are alike within a column: a base of its own for each pays.
Values columns_of(Random& random, SweepTile tile, bool is_hard) {
  Values values(tile.rows * tile.columns);
  for (std::size_t c = 0; c < tile.columns; ++c) {
    Values column = testing::hard_values(random, tile.rows);
    if (!is_hard) {
      const int exponent = static_cast<int>(below(random, 600)) - 300;
      const int spread = static_cast<int>(below(random, 30));
      for (double& value : column) value = std::ldexp(testing::around_one(random, spread), exponent);
    }
    for (std::size_t r = 0; r < tile.rows; ++r) values[r * tile.columns + c] = column[r];
  }
  return values;
}

Values column_of(const Values& values, SweepTile tile, std::size_t c) {
  Values column;
  for (std::size_t r = 0; r < tile.rows; ++r) column.push_back(values[r * tile.columns + c]);
  return column;
}

struct Ranges {
  Ranges(const SweepLoops& loops, const Values& values, SweepTile tile, decltype(SweepLoops::add_ranges) add)
      : stride(tile.columns + 3), state(kColumnRanges * stride) {
    loops.start_ranges(state.data(), stride, tile.columns);
    const std::size_t half = tile.rows / 2;  // in two turns
    add(values.data(), {half, tile.columns}, state.data(), stride);
    add(values.data() + half * tile.columns, {tile.rows - half, tile.columns}, state.data(), stride);
  }
  Ranges(const SweepLoops& loops, const Values& values, SweepTile tile)
      : Ranges(loops, values, tile, loops.add_ranges) {}
  double at(ColumnRange range, std::size_t c) const {
    return state[static_cast<std::size_t>(range) * stride + c];
  }
  ValueRange of(std::size_t c) const {
    if (bits_of(at(ColumnRange::nans, c)) != 0) return ValueRange::unknown();
    return ValueRange::of(at(ColumnRange::largest, c), at(ColumnRange::below_smallest, c));
  }
  std::size_t stride;
  Values state;
};

class EverySweepSet : public testing::EveryKernel {};

TEST_P(EverySweepSet, finds_the_ranges_of_columns) {
  const SweepLoops& loops = sweep_loops();
  EXPECT_STREQ(loops.name, GetParam()->name);
  Random random(5);
  for (int round = 0; round < 400; ++round) {
    const SweepTile tile{1 + below(random, 40), 1 + below(random, 40)};
    const Values values = columns_of(random, tile, true);
    const Ranges ranges(loops, values, tile);
    for (std::size_t c = 0; c < tile.columns; ++c) {
      const Values column = column_of(values, tile, c);
      const bool has_nan = std::ranges::any_of(column, [](double x) { return std::isnan(x); });
      ASSERT_EQ(bits_of(ranges.at(ColumnRange::nans, c)) != 0, has_nan);
      const auto has_sign = [](double x) { return std::signbit(x); };
      EXPECT_EQ(std::signbit(ranges.at(ColumnRange::some_signs, c)), std::ranges::any_of(column, has_sign));
      EXPECT_EQ(std::signbit(ranges.at(ColumnRange::all_signs, c)), std::ranges::all_of(column, has_sign));
      const Ranges magnitudes(loops, values, tile, loops.add_magnitudes);
      ASSERT_EQ(magnitudes.of(c), ranges.of(c));
      if (has_nan) continue;
      double largest = 0, smallest = HUGE_VAL;
      for (const double x : column) largest = std::max(largest, std::fabs(x));
      for (const double x : column) smallest = x == 0 ? smallest : std::min(smallest, std::fabs(x));
      ASSERT_EQ(ranges.at(ColumnRange::least, c), *std::ranges::min_element(column));
      ASSERT_EQ(ranges.at(ColumnRange::most, c), *std::ranges::max_element(column));
      ASSERT_EQ(ranges.at(ColumnRange::largest, c), largest);
      const double below_smallest = largest > 0 ? std::nextafter(smallest, 0) : HUGE_VAL;
      if (std::isfinite(smallest) || largest == 0) {
        ASSERT_EQ(ranges.at(ColumnRange::below_smallest, c), below_smallest);
      }
    }
  }
}

TEST_P(EverySweepSet, adds_products_without_error_where_their_ranges_allow_it) {
  const SweepLoops& loops = sweep_loops();
  Random random(11);
  std::size_t by_folds[kMostSweepFolds + 1] = {};
  for (int round = 0; round < 400; ++round) {
    const SweepTile tile{1 + below(random, 300), 1 + below(random, 40)};
    const bool multiplies = below(random, 2) == 0, keeps = below(random, 2) == 0;
    const Values a = columns_of(random, tile, below(random, 3) == 0);
    const Values b = columns_of(random, tile, below(random, 3) == 0);
    const Ranges a_ranges(loops, a, tile), b_ranges(loops, b, tile);
    const int headroom = headroom_for(static_cast<std::int64_t>(tile.rows)),
              folds = 1 + static_cast<int>(below(random, 3));
    const std::size_t stride = tile.columns + below(random, 3);
    Values state((static_cast<std::size_t>(folds) + 1) * stride), kept(a.size());
    std::vector<ValueRange> range;
    for (std::size_t c = 0; c < tile.columns; ++c) {
      range.push_back(multiplies ? product_range(a_ranges.of(c), b_ranges.of(c)) : a_ranges.of(c));
      for (int f = 0; f < folds && range[c].is_known(); ++f)
        state[static_cast<std::size_t>(f) * stride + c] = base_of_fold(range[c], headroom, f);
    }
    const std::size_t half = tile.rows / 2, rest = half * tile.columns;
    loops.add_sums(a.data(), multiplies ? b.data() : nullptr, keeps ? kept.data() : nullptr,
                   {half, tile.columns}, folds, state.data(), stride);
    loops.add_sums(a.data() + rest, multiplies ? b.data() + rest : nullptr,
                   keeps ? kept.data() + rest : nullptr, {tile.rows - half, tile.columns}, folds,
                   state.data(), stride);
    for (std::size_t i = 0; keeps && i < a.size(); ++i) {
      const double expected = multiplies ? a[i] * b[i] : a[i];
      ASSERT_TRUE(bits_of(kept[i]) == bits_of(expected) || std::isnan(expected));
    }
    for (std::size_t c = 0; c < tile.columns; ++c) {
      if (folds_for(range[c], headroom) > folds) continue;
      ++by_folds[folds_for(range[c], headroom)];
      ExactSum expected, sum;
      for (std::size_t i = c; i < a.size(); i += tile.columns) expected.add(multiplies ? a[i] * b[i] : a[i]);
      for (int f = 0; f <= folds; ++f) {
        const double base = f < folds ? base_of_fold(range[c], headroom, f) : 0;
        sum.add(state[static_cast<std::size_t>(f) * stride + c] - base);
      }
      ASSERT_TRUE(sum == expected) << "column " << c << " of " << tile.columns << ", " << folds << " folds";
    }
  }
  for (int folds = 1; folds <= kMostSweepFolds; ++folds) EXPECT_GT(by_folds[folds], 100U) << folds;
}

TEST_P(EverySweepSet, multiplies_alone_without_folds) {
  const Values a = {1, 2, 3, 4, 5, 6}, b = {2, 3, 4, 5, 6, -0.0};
  Values kept(6);

  sweep_loops().add_sums(a.data(), b.data(), kept.data(), {2, 3}, 0, nullptr, 0);

  EXPECT_EQ(kept, (Values{2, 6, 12, 20, 30, -0.0}));
}

/// What the pieces of columns add up to, and the exact sums that they say.
struct PieceState {
  PieceState(const Values& a, const Values& b, SweepTile tile, bool is_square)
      : of_a(sweep_loops(), a, tile),
        of_b(sweep_loops(), b, tile),
        stride(tile.columns + 3),
        cuts(2 * stride) {
    for (std::size_t c = 0; c < tile.columns; ++c) {
      needed.push_back(std::max(pieces_for(of_a.of(c)), pieces_for(of_b.of(c))));
      if (needed[c] > kMostPieces) continue;
      cuts[c] = cut_for(of_a.of(c));
      cuts[stride + c] = cut_for(of_b.of(c));
      pieces = std::max(pieces, needed[c]);
    }
    state.resize((2 * static_cast<std::size_t>(kMostPieces) - 1 + 6) * stride);
    const std::size_t half = tile.rows / 2, rest = half * tile.columns;
    sweep_loops().add_products(a.data(), is_square ? nullptr : b.data(), {half, tile.columns}, cuts.data(),
                               pieces, state.data(), stride);
    sweep_loops().add_products(a.data() + rest, is_square ? nullptr : b.data() + rest,
                               {tile.rows - half, tile.columns}, cuts.data(), pieces, state.data(), stride);
  }
  ExactSum sum(std::size_t column, int first, int count) const {
    ExactSum sum;
    for (int k = first; k < first + count; ++k) sum.add(state[static_cast<std::size_t>(k) * stride + column]);
    return sum;
  }
  Ranges of_a, of_b;
  std::size_t stride;
  Values cuts, state;
  std::vector<int> needed;
  int pieces = kFewestPieces;
};

TEST_P(EverySweepSet, adds_products_in_pieces_without_error) {
  Random random(29);
  std::size_t by_pieces[kMostPieces + 2] = {};
  for (int round = 0; round < 600; ++round) {
    const SweepTile tile{below(random, 20) == 0 ? kPieceBlock : 1 + below(random, 60), 1 + below(random, 40)};
    const bool is_square = below(random, 2) == 0;
    const Values a = columns_of(random, tile, below(random, 4) == 0);
    const Values b = is_square ? a : columns_of(random, tile, below(random, 4) == 0);
    const PieceState added(a, b, tile, is_square);
    for (std::size_t c = 0; c < tile.columns; ++c) {
      ++by_pieces[added.needed[c]];
      if (added.needed[c] > kMostPieces) continue;
      const Values x = column_of(a, tile, c), y = column_of(b, tile, c);
      ExactSum of_products, of_x, of_y;
      for (std::size_t r = 0; r < tile.rows; ++r) {
        of_products.add(x[r] * y[r]);
        of_products.add(std::fma(x[r], y[r], -(x[r] * y[r])));
      }
      of_x.add(x);
      of_y.add(y);
      const int products = 2 * added.pieces - 1, operands = added.pieces - 1;
      ASSERT_TRUE(added.sum(c, 0, products) == of_products) << "column " << c << " of " << tile.columns;
      ASSERT_TRUE(added.sum(c, products, operands) == of_x);
      if (!is_square) {
        ASSERT_TRUE(added.sum(c, products + operands, operands) == of_y);
      }
    }
  }
  for (int pieces = kFewestPieces; pieces <= kMostPieces + 1; ++pieces)
    EXPECT_GT(by_pieces[pieces], 100U) << pieces;
}

TEST_P(EverySweepSet, widens_every_float_as_a_cast_does) {
  Random random(41);
  for (int round = 0; round < 200; ++round) {
    const std::vector<float> floats = testing::hard_floats(random, below(random, 40));
    Values doubles(floats.size() + 1, 7);

    sweep_loops().widen(floats.data(), doubles.data(), floats.size());

    for (std::size_t i = 0; i < floats.size(); ++i)
      ASSERT_EQ(bits_of(doubles[i]), bits_of(static_cast<double>(floats[i])));
    EXPECT_EQ(doubles.back(), 7) << "nothing is written behind the last one";
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, EverySweepSet, ::testing::ValuesIn(sum_kernels()),
                         [](const auto& tested) { return std::string(tested.param->name); });

TEST(ValueRange, holds_all_rounded_sums_and_products) {
  Random random(17);
  for (int round = 0; round < 20000; ++round) {
    const auto pair = [&] { return testing::around_one(random, 200); };
    const double a = below(random, 9) == 0 ? 0.0 : pair(), b = below(random, 9) == 0 ? -a : pair();
    const auto range = [](double x) { return ValueRange::of(std::fabs(x), std::nextafter(std::fabs(x), 0)); };
    const auto expect_inside = [](const ValueRange& range, double x) {
      if (!range.is_known() || x == 0) return;
      const double units = std::ldexp(x, -range.unit);
      EXPECT_LT(std::fabs(x), std::ldexp(1, range.high));
      EXPECT_GE(std::fabs(x), std::ldexp(1, range.low));
      EXPECT_TRUE(units == std::trunc(units)) << x;
      EXPECT_FALSE(range.is_zero());
    };
    expect_inside(range(a), a);
    expect_inside(product_range(range(a), range(b)), a * b);
    expect_inside(sum_range(range(a), range(b)), a + b);
    expect_inside(product_range(sum_range(range(a), range(b)), range(a)), (a + b) * a);
  }
}

TEST(ValueRange, has_a_coarser_unit_for_floats) {
  Random random(19);
  for (const float value : testing::hard_floats(random, 20000)) {
    const double size = std::fabs(static_cast<double>(value));
    if (!std::isfinite(size) || size == 0) continue;
    const ValueRange range = ValueRange::of(size, std::nextafter(size, 0), 24);
    const double units = std::ldexp(size, -range.unit);
    EXPECT_TRUE(units == std::trunc(units)) << value;
  }
  EXPECT_GT(ValueRange::of(1.5, 1.5 - 0x1p-53, 24).unit, ValueRange::of(1.5, 1.5 - 0x1p-53).unit);
}

TEST(ValueRange, knows_nothing_of_what_is_not_finite_or_too_large_or_too_small) {
  EXPECT_FALSE(ValueRange::of(HUGE_VAL, 1).is_known());
  EXPECT_FALSE(ValueRange::of(0x1p701, 1).is_known());
  EXPECT_FALSE(ValueRange::of(1, 0x1p-1060).is_known());
  EXPECT_FALSE(product_range(ValueRange::of(0x1p400, 1), ValueRange::of(0x1p400, 1)).is_known());
  EXPECT_FALSE(product_range(ValueRange::zero(), ValueRange::unknown()).is_known());
  EXPECT_EQ(product_range(ValueRange::zero(), ValueRange::of(2, 1)), ValueRange::zero());
  EXPECT_EQ(folds_for(ValueRange::zero(), 12), 1);
}

}  // namespace
}  // namespace pileus::detail
