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

TEST(ExactFactor, is_reduced_beyond_64_bits_too) {
  // 3^60 · 7 / 5, a numerator of 98 bits, divided three times by 3^20, is 7 / 5.
  const double power = 3486784401;  // 3^20
  ExactFactor factor = over(power, 5);
  factor.multiply(power);
  factor.multiply(power * 7);
  for (int i = 0; i < 3; ++i) factor.divide(power);

  EXPECT_EQ(factor, over(7, 5));
}

TEST(ExactFactor, finds_a_common_divisor_beyond_64_bits) {
  // 3^80 / 5^40 (127 and 93 bits) times (5 · 7)^40 / (3 · 7)^80 is 1 / 7^40.
  ExactFactor factor;
  for (int i = 0; i < 40; ++i) factor.divide(5);
  for (int i = 0; i < 80; ++i) factor.multiply(3);
  for (int i = 0; i < 40; ++i) factor.multiply(5 * 7);
  for (int i = 0; i < 80; ++i) factor.divide(3 * 7);
  ExactFactor expected;
  for (int i = 0; i < 40; ++i) expected.divide(7);

  EXPECT_EQ(factor, expected);
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
