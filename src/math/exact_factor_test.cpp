#include "math/exact_factor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace pileus {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

ExactFactor over(double numerator, double denominator) {
  ExactFactor factor;
  factor.multiply(numerator);
  factor.divide(denominator);
  return factor;
}

TEST(ExactFactor, is_kept_in_lowest_terms) {
  // 84 / 60 = 7 / 5; with 2^-3 it is 7 · 2^-3 / 5: the denominator stays odd.
  const ExactFactor factor = over(84, 60 * 8);

  EXPECT_EQ(factor, over(7, 40));
  EXPECT_EQ(factor.numerator(), ExactNumber(0.875));
  EXPECT_EQ(factor.denominator(), ExactNumber(5));
}

TEST(ExactFactor, carries_its_sign_in_the_numerator) {
  EXPECT_EQ(over(-1, 3), over(1, -3));
  EXPECT_EQ(over(1, -3).numerator(), ExactNumber(-1));
  EXPECT_EQ(over(-1, -3), over(1, 3));
}

TEST(ExactFactor, is_one_again_after_the_way_back) {
  ExactFactor factor = over(0.1, 12345);
  factor.multiply(12345);
  factor.divide(0.1);

  EXPECT_TRUE(factor.is_one());
}

TEST(ExactFactor, follows_ieee_for_constants_of_zero_infinity_and_nan) {
  EXPECT_TRUE(over(0, 5).is_zero());
  EXPECT_TRUE(over(5, kInfinity).is_zero());
  EXPECT_EQ(over(5, 0).kind(), kInfinity);
  EXPECT_EQ(over(5, -0.0).kind(), -kInfinity);
  EXPECT_EQ(over(-kInfinity, 5).kind(), -kInfinity);
  EXPECT_TRUE(std::signbit(over(-0.0, 5).kind()));
  EXPECT_TRUE(std::isnan(over(0, 0).kind()));
  EXPECT_TRUE(std::isnan(over(kInfinity, kInfinity).kind()));
  EXPECT_TRUE(std::isnan(over(kInfinity, 1).is_finite() ? 0 : over(0, 1 / kInfinity).kind()));
  EXPECT_TRUE(std::isnan(over(kNan, 2).kind()));
  EXPECT_TRUE(std::isnan(over(2, kNan).kind()));
}

TEST(ExactFactor, stays_nan) {
  ExactFactor factor = over(0, 0);
  factor.multiply(3);
  factor.divide(0);

  EXPECT_TRUE(std::isnan(factor.kind()));
  EXPECT_EQ(factor, over(-kNan, 1));
}

TEST(ExactFactor, comes_back_from_its_bytes) {
  for (const ExactFactor& factor :
       {ExactFactor(), over(-7, 30), over(0, 1), over(-0.0, 1), over(1, 0), over(0, 0)}) {
    std::vector<std::byte> bytes;
    factor.encode(bytes);
    std::span<const std::byte> in(bytes);

    EXPECT_EQ(ExactFactor::decode(in), factor);
    EXPECT_TRUE(in.empty());
  }
}

TEST(ExactFactor, refuses_fractions_that_are_not_in_lowest_terms) {
  for (const auto& [numerator, denominator] :
       {std::pair(3, 9), std::pair(1, 2), std::pair(0, 3), std::pair(1, 1), std::pair(-1, 3)}) {
    std::vector<std::byte> bytes{std::byte{0}};
    ExactNumber(numerator).encode(bytes);
    ExactNumber(denominator).encode(bytes);
    std::span<const std::byte> in(bytes);

    EXPECT_THROW(ExactFactor::decode(in), std::invalid_argument) << numerator << " / " << denominator;
  }
}

}  // namespace
}  // namespace pileus
