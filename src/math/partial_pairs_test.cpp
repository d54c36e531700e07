// Values of second moments, counts and truths; and every reduction: the same bytes by every path, in any
// order. The values are checked against Python's fractions in python_cases_test.cpp.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "loops/testing/random_values.h"
#include "math/partial.h"

namespace pileus {
namespace {

using testing::below;
using testing::Random;
using Values = std::vector<double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<Reduction> all_but_pairs() {
  std::vector<Reduction> all;
  for (const ReductionDeclaration& declared : kDeclaredReductions)
    if (declared.operands() == 1) all.push_back(declared.reduction);
  return all;
}

Partial of(Reduction reduction, const Values& values) {
  Partial partial(reduction);
  partial.add(std::span<const double>(values));
  return partial;
}
Partial of_pairs(const Values& x, const Values& y) {
  Partial partial(Reduction::covariance);
  partial.add_pairs({x}, {y});
  return partial;
}
double scaled(Partial partial, double factor, double divisor = 1) {
  partial.multiply(factor);
  partial.divide(divisor);
  return partial.value();
}
std::vector<std::byte> bytes_of(const Partial& partial) {
  std::vector<std::byte> bytes;
  partial.encode(bytes);
  return bytes;
}
Partial sent(const Partial& partial) {
  const std::vector<std::byte> bytes = bytes_of(partial);
  std::span<const std::byte> in(bytes);
  Partial decoded = Partial::decode(in);
  EXPECT_TRUE(in.empty());
  return decoded;
}

TEST(SecondMoments, of_a_few_values_are_what_the_textbook_says) {
  EXPECT_EQ(of(Reduction::variance, {1, 2, 3, 4}).value(), 1.25);
  EXPECT_EQ(of(Reduction::standard_deviation, {2, 4, 4, 4, 5, 5, 7, 9}).value(), 2);
  EXPECT_EQ(of_pairs({1, 2, 3}, {5, 3, 1}).value(), -4.0 / 3);  // mean of xy: 14/3, of x: 2, of y: 3
  EXPECT_EQ(of(Reduction::variance, {7}).value(), 0);
}

TEST(SecondMoments, of_nothing_are_nan) {
  for (const ReductionDeclaration& declared : kDeclaredReductions) {
    if (declared.keeps != Keeps::moments) continue;
    const Reduction reduction = declared.reduction;
    EXPECT_TRUE(std::isnan(Partial(reduction).value()));
    EXPECT_TRUE(Partial(reduction).is_of_nothing());
    EXPECT_FALSE(Partial(reduction).exact().has_value());
    EXPECT_EQ(bytes_of(sent(Partial(reduction))), bytes_of(Partial(reduction)));
  }
}

TEST(SecondMoments, a_large_mean_takes_no_bit_away) {
  // 2^60 and 2^60 + 2^8, as often: the variance is 2^14, of numbers whose squares have 121 bits.
  Values values;
  for (int i = 0; i < 5000; ++i) values.push_back(i % 2 == 0 ? 0x1p60 : 0x1p60 + 256);

  EXPECT_EQ(of(Reduction::variance, values).value(), 0x1p14);
  EXPECT_EQ(of(Reduction::standard_deviation, values).value(), 128);
  EXPECT_EQ(of_pairs(values, values).value(), 0x1p14);
}

TEST(SecondMoments, of_equal_values_are_plus_zero) {
  for (const double value : {0.0, -0.0, 0.1, -5e-324, 1.7e308}) {
    const Values values(77, value);
    for (const double factor : {1.0, -3.0}) {
      for (const Reduction reduction : {Reduction::variance, Reduction::standard_deviation}) {
        EXPECT_EQ(scaled(of(reduction, values), factor), 0);
        EXPECT_FALSE(std::signbit(scaled(of(reduction, values), factor)));
      }
    }
  }
}

TEST(SecondMoments, with_a_value_that_is_not_finite_are_nan) {
  for (const double odd : {kInfinity, -kInfinity, kNan}) {
    EXPECT_TRUE(std::isnan(of(Reduction::variance, {1, odd, 2}).value()));
    EXPECT_TRUE(std::isnan(of(Reduction::standard_deviation, {1, odd}).value()));
    EXPECT_TRUE(std::isnan(of_pairs({1, odd}, {3, 4}).value()));
    EXPECT_TRUE(std::isnan(of_pairs({1, 2}, {3, odd}).value()));
    EXPECT_FALSE(of_pairs({1, 2}, {3, odd}).exact().has_value());
  }
}

TEST(SecondMoments, overflow_and_underflow_as_rounding_says) {
  constexpr double kLargest = std::numeric_limits<double>::max();
  EXPECT_EQ(of(Reduction::variance, {kLargest, -kLargest}).value(), kInfinity);
  EXPECT_EQ(of(Reduction::standard_deviation, {kLargest, -kLargest}).value(), kLargest);
  EXPECT_EQ(of(Reduction::variance, {0, 1e-200}).value(), 0);
  EXPECT_EQ(of(Reduction::standard_deviation, {0, 2e-200}).value(), 1e-200);
  EXPECT_EQ(scaled(of(Reduction::variance, {kLargest, -kLargest}), 0x1p-1024),
            kLargest * (kLargest * 0x1p-1024));
}

TEST(SecondMoments, a_factor_scales_the_result) {
  EXPECT_EQ(scaled(of(Reduction::variance, {1, 3}), -6), -6);
  EXPECT_EQ(scaled(of(Reduction::standard_deviation, {1, 5}), -3, 2), -3);
  EXPECT_TRUE(std::isnan(scaled(of(Reduction::variance, {1, 1}), kInfinity)));
  EXPECT_EQ(scaled(of(Reduction::variance, {1, 3}), kInfinity), kInfinity);
  // √2 · 3, rounded once: √18.
  EXPECT_EQ(scaled(of(Reduction::standard_deviation, {0, std::ldexp(1, 40)}), 3), 1.5 * 0x1p40);
}

TEST(RootMeanSquare, is_rounded_once_and_scaled) {
  constexpr double kLargest = std::numeric_limits<double>::max();
  EXPECT_EQ(of(Reduction::root_mean_square, {1, -7}).value(), 5);  // (1 + 49) / 2 = 25
  EXPECT_EQ(of(Reduction::root_mean_square, {-3}).value(), 3);
  EXPECT_FALSE(std::signbit(of(Reduction::root_mean_square, {-0.0, 0.0}).value()));
  EXPECT_EQ(scaled(of(Reduction::root_mean_square, {1, 7}), -3, 2), -7.5);
  EXPECT_EQ(of(Reduction::root_mean_square, {kLargest, -kLargest}).value(), kLargest);
  EXPECT_EQ(of(Reduction::root_mean_square, {2e-200, -2e-200}).value(), 2e-200);
  for (const double odd : {kInfinity, -kInfinity, kNan})
    EXPECT_TRUE(std::isnan(of(Reduction::root_mean_square, {1, odd}).value()));
  const std::vector<std::int64_t> large = {(std::int64_t{1} << 62) + 1, -(std::int64_t{1} << 62) - 1};
  Partial of_large(Reduction::root_mean_square);
  of_large.add(std::span<const std::int64_t>(large));
  EXPECT_EQ(of_large.value(), 0x1p62);
}

TEST(SecondMoments, of_large_integers_count_them_as_they_are) {
  // 2^62 + 1 and 2^62 + 4 are 9/4 apart in variance; as doubles they would be one.
  const std::vector<std::int64_t> values = {(std::int64_t{1} << 62) + 1, (std::int64_t{1} << 62) + 4};
  Partial variance(Reduction::variance);
  variance.add(std::span<const std::int64_t>(values));

  EXPECT_EQ(variance.value(), 2.25);

  const std::vector<std::int64_t> ends = {std::numeric_limits<std::int64_t>::min(),
                                          std::numeric_limits<std::int64_t>::max()};
  Partial spread(Reduction::standard_deviation);
  spread.add(std::span<const std::int64_t>(ends));
  EXPECT_EQ(spread.value(), 0x1p63);  // 2^63 - 1/2, to the nearest double
}

TEST(Truths, are_ones_and_zeros_as_in_numpy) {
  EXPECT_EQ(Partial(Reduction::any).value(), 0);
  EXPECT_EQ(Partial(Reduction::all).value(), 1);
  EXPECT_EQ(of(Reduction::any, {0, -0.0, 0}).value(), 0);
  EXPECT_EQ(of(Reduction::any, {0, -5e-324}).value(), 1);
  EXPECT_EQ(of(Reduction::any, {kNan}).value(), 1);
  EXPECT_EQ(of(Reduction::all, {1, kNan, -kInfinity}).value(), 1);
  EXPECT_EQ(of(Reduction::all, {1, 0}).value(), 0);
  EXPECT_FALSE(std::signbit(of(Reduction::any, {-0.0}).value()));
  EXPECT_FALSE(std::signbit(of(Reduction::all, {-0.0}).value()));
  EXPECT_TRUE(Partial(Reduction::all).is_of_nothing());
}

TEST(Counts, are_of_all_values) {
  EXPECT_EQ(Partial(Reduction::count).value(), 0);
  EXPECT_FALSE(Partial(Reduction::count).is_of_nothing());
  EXPECT_EQ(of(Reduction::count, {0, kNan, 3}).value(), 3);
  EXPECT_EQ(scaled(of(Reduction::count, {1, 2, 3, 4, 5}), 1, 20), 0.25);
}

/// Cuts values at random, adds the pieces by every way in, and merges them in any order.
Partial put_together(Reduction reduction, const Values& values, Random& random) {
  std::vector<Partial> parts(1 + below(random, 4), Partial(reduction));
  for (std::size_t done = 0; done < values.size();) {
    const std::size_t count = 1 + below(random, std::min<std::size_t>(values.size() - done, 3000));
    Partial& part = parts[below(random, parts.size())];
    const std::span<const double> piece = std::span(values).subspan(done, count);
    switch (below(random, 4)) {
      case 0: part.add(piece); break;
      case 1: part.add_strided(piece.data() + count - 1, count, -1); break;
      case 2: Partial::add_columns(std::span(&part, 1), piece.data(), count, 1); break;
      case 3:
        for (const double value : piece) part.add(value);
    }
    done += count;
  }
  std::shuffle(parts.begin(), parts.end(), random);
  Partial joined(reduction);
  for (const Partial& part : parts) joined.merge(below(random, 2) == 0 ? part : sent(part));
  return joined;
}

TEST(EachReduction, has_the_same_bytes_by_every_path_and_in_every_order) {
  Random random(17);
  for (int run = 0; run < 2000; ++run) {
    const Values values =
        testing::hard_values(random, run % 20 == 0 ? testing::hard_size(random) : below(random, 60));
    for (const Reduction reduction : all_but_pairs()) {
      const std::vector<std::byte> expected = bytes_of(of(reduction, values));

      ASSERT_EQ(bytes_of(put_together(reduction, values, random)), expected) << "run " << run;
    }
  }
}

TEST(EachReduction, of_columns_is_that_of_each) {
  Random random(23);
  for (int run = 0; run < 60; ++run) {
    const std::size_t columns = 1 + below(random, 40), rows = below(random, 600);
    const Values values = testing::hard_values(random, columns * rows);
    for (const Reduction reduction : all_but_pairs()) {
      std::vector<Partial> partials(columns, Partial(reduction));
      Partial::add_columns(std::span(partials), values.data(), rows, static_cast<std::ptrdiff_t>(columns));
      for (std::size_t c = 0; c < columns; ++c) {
        Values column;
        for (std::size_t r = 0; r < rows; ++r) column.push_back(values[r * columns + c]);
        ASSERT_EQ(bytes_of(partials[c]), bytes_of(of(reduction, column))) << "run " << run;
      }
    }
  }
}

TEST(SecondMoments, covariance_of_a_field_with_itself_is_its_variance) {
  Random random(29);
  for (int run = 0; run < 300; ++run) {
    const Values values = testing::hard_values(random, below(random, 50));
    const double variance = of(Reduction::variance, values).value();
    const double covariance = of_pairs(values, values).value();
    ASSERT_TRUE(variance == covariance || (std::isnan(variance) && std::isnan(covariance))) << run;
  }
}

TEST(SecondMoments, damaged_bytes_are_refused) {
  const std::vector<std::byte> good = bytes_of(of(Reduction::variance, {1, 2, 4}));
  for (std::size_t size = 0; size < good.size(); ++size) {
    std::span<const std::byte> in = std::span(good).first(size);
    EXPECT_THROW(Partial::decode(in), std::invalid_argument) << size;
  }
  // Σx = 7 and n = 3 with Σx² = 16 and less would be a negative variance.
  std::vector<std::byte> negative = good;
  ASSERT_EQ(std::to_integer<int>(negative[negative.size() - 4]), 21);
  negative[negative.size() - 4] = std::byte{16};
  std::span<const std::byte> in(negative);
  EXPECT_THROW(Partial::decode(in), std::invalid_argument);
}

}  // namespace
}  // namespace pileus
