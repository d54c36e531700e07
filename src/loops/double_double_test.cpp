#include "loops/double_double.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace pileus {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(TwoSum, gives_the_rounding_error_whichever_is_larger) {
  // 1 + 2^-60 rounds to 1 and loses 2^-60.
  EXPECT_EQ(two_sum(1, 0x1p-60).error, 0x1p-60);
  EXPECT_EQ(two_sum(0x1p-60, 1).error, 0x1p-60);
  EXPECT_EQ(two_sum(0x1p-60, 1).high, 1);
}

TEST(TwoProduct, gives_the_rounding_error) {
  // (1 + 2^-30)(1 - 2^-30) = 1 - 2^-60, which rounds to 1.
  const WithError product = two_product(1 + 0x1p-30, 1 - 0x1p-30);

  EXPECT_EQ(product.high, 1);
  EXPECT_EQ(product.error, -0x1p-60);
}

TEST(DoubleDouble, keeps_what_one_double_loses) {
  DoubleDouble sum;
  for (const double value : {1e16, 1.0, -1e16}) sum.add(value);

  EXPECT_EQ(sum.value(), 1);
}

TEST(DoubleDouble, adds_products_without_rounding_them) {
  // (1 + 2^-30)² - 1 - 2^-29 = 2^-60
  DoubleDouble sum;
  sum.add_product(1 + 0x1p-30, 1 + 0x1p-30);
  sum.add(-1);
  sum.add(-0x1p-29);

  EXPECT_EQ(sum.value(), 0x1p-60);
}

TEST(DoubleDouble, gives_back_a_constant_as_its_weighted_mean) {
  DoubleDouble sum;
  DoubleDouble weights;
  for (int i = 1; i <= 1000; ++i) {
    sum.add_product(0.1 * i, 0.3);
    weights.add(0.1 * i);
  }

  EXPECT_EQ(sum.divide(weights.value()), 0.3);
}

TEST(DoubleDouble, uses_its_low_part_when_it_divides) {
  // (3 + 3 · 2^-53 + 2^-90) / 3 is just above the tie between 1 and 1 + 2^-52.
  DoubleDouble sum;
  for (const double value : {3.0, 3 * 0x1p-53, 0x1p-90}) sum.add(value);

  EXPECT_EQ(sum.divide(3), 1 + 0x1p-52);
}

TEST(DoubleDouble, follows_ieee_for_nan_and_infinities) {
  DoubleDouble sum;
  sum.add(kInfinity);
  sum.add(1);
  EXPECT_EQ(sum.value(), kInfinity);
  EXPECT_EQ(sum.divide(2), kInfinity);
  sum.add_product(-1, kInfinity);
  EXPECT_TRUE(std::isnan(sum.value()));

  DoubleDouble finite;
  finite.add(3);
  EXPECT_EQ(finite.divide(0), kInfinity);
  EXPECT_TRUE(std::isnan(DoubleDouble().divide(0)));
  finite.add_product(1e300, 1e300);
  EXPECT_EQ(finite.value(), kInfinity);
}

}  // namespace
}  // namespace pileus
