#include "math/exact_number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "math/exact_sum.h"

namespace pileus {
namespace {

using Limits = std::numeric_limits<double>;
constexpr double kInfinity = Limits::infinity();

double quotient(double numerator, double denominator) {
  return divide_rounded(ExactNumber(numerator), ExactNumber(denominator));
}

ExactNumber power(const ExactNumber& base, int exponent) {
  ExactNumber result(1);
  for (int i = 0; i < exponent; ++i) result = result * base;
  return result;
}

ExactNumber decoded(const std::vector<int>& bytes) {
  std::vector<std::byte> in;
  for (const int byte : bytes) in.push_back(static_cast<std::byte>(byte));
  std::span<const std::byte> rest(in);
  return ExactNumber::decode(rest);
}

TEST(ExactNumber, comes_from_doubles_and_integers_alike) {
  EXPECT_EQ(ExactNumber(1.0), ExactNumber(1));
  EXPECT_EQ(ExactNumber(-0.0), ExactNumber());
  EXPECT_EQ(ExactNumber(-0x1p63), ExactNumber(std::numeric_limits<std::int64_t>::min()));
  EXPECT_EQ(ExactNumber(0x1p62), ExactNumber(std::int64_t{1} << 62));
  EXPECT_THROW(ExactNumber{kInfinity}, std::invalid_argument);
  EXPECT_THROW(ExactNumber{Limits::quiet_NaN()}, std::invalid_argument);
}

TEST(ExactNumber, comes_from_a_finite_sum) {
  ExactSum sum;
  sum.add(1e300);
  sum.add(-1e-300);

  EXPECT_EQ(ExactNumber(sum), ExactNumber(1e300) - ExactNumber(1e-300));
  sum.add(kInfinity);
  EXPECT_THROW(ExactNumber{sum}, std::invalid_argument);
}

TEST(ExactNumber, knows_when_it_is_a_small_integer) {
  const std::int64_t largest = std::numeric_limits<std::int64_t>::max();

  EXPECT_EQ(ExactNumber(largest).small_integer(), largest);
  EXPECT_EQ(ExactNumber(0x1p40).small_integer(), std::int64_t{1} << 40);
  EXPECT_EQ(ExactNumber().small_integer(), 0);
  EXPECT_FALSE(ExactNumber(0x1p63).small_integer());
  EXPECT_FALSE(ExactNumber(0x1p64).small_integer());
  EXPECT_FALSE(ExactNumber(-1).small_integer());
  EXPECT_FALSE(ExactNumber(1.5).small_integer());
}

TEST(ExactNumber, comes_back_exactly_as_a_double) {
  for (const double value : {0.1, -1e308, Limits::max(), Limits::min(), Limits::denorm_min(), 0x1.8p-1060}) {
    EXPECT_EQ(round(ExactNumber(value)), value);
  }
}

TEST(ExactNumber, adds_and_subtracts_over_any_distance) {
  const ExactNumber large(1e300);
  const ExactNumber small(Limits::denorm_min());

  EXPECT_EQ(large + small - large, small);
  EXPECT_EQ(small - large + large, small);
  EXPECT_TRUE((large - large).is_zero());
  EXPECT_EQ((small - large).sign(), -1);
}

TEST(ExactNumber, multiplies_beyond_the_range_of_doubles) {
  // (2^1000)^3 · (2^-1000)^3 = 1, and (10^k)(10^-k) is not: 0.1 is not a tenth.
  const ExactNumber huge = power(ExactNumber(0x1p1000), 3);
  const ExactNumber tiny = power(ExactNumber(0x1p-1000), 3);

  EXPECT_EQ(huge * tiny, ExactNumber(1));
  EXPECT_EQ(round(huge), kInfinity);
  EXPECT_EQ(round(-huge), -kInfinity);
  EXPECT_EQ(round(tiny), 0.0);
  EXPECT_GT(ExactNumber(0.1) * ExactNumber(10), ExactNumber(1));
}

TEST(ExactNumber, keeps_binomials_exact_beyond_the_inline_limbs) {
  // (a + b)^2 = a^2 + 2ab + b^2 with a = 3^400 and b = 2^-900: 634 bits, then over 2500.
  const ExactNumber a = power(ExactNumber(3), 400);
  const ExactNumber b(0x1p-900);

  EXPECT_EQ((a + b) * (a + b), a * a + ExactNumber(2) * a * b + b * b);
}

TEST(ExactNumber, compares_by_value) {
  const ExactNumber third = ExactNumber(1.0 / 3);

  EXPECT_LT(ExactNumber(-2), ExactNumber(-1));
  EXPECT_LT(ExactNumber(-1), ExactNumber(0));
  EXPECT_LT(ExactNumber(0), ExactNumber(Limits::denorm_min()));
  EXPECT_LT(third * ExactNumber(3), ExactNumber(1));
  EXPECT_GT(ExactNumber(0x1p32), ExactNumber(0x1.fffffffep31));
  EXPECT_LT(ExactNumber(1), ExactNumber(1) + ExactNumber(Limits::denorm_min()));
}

TEST(ExactNumber, refuses_to_grow_without_end) {
  ExactNumber number(0x1p1000);

  EXPECT_THROW(
      for (int i = 0; i < 20; ++i) { number = number * number; }, std::overflow_error);
}

TEST(DivideRounded, is_the_division_of_doubles_where_both_are_doubles) {
  for (const double a : {1.0, 2.0, 3.0, -10.0, 0.1, 1e300, 1e-300, Limits::denorm_min(), Limits::max()}) {
    for (const double b : {1.0, 3.0, -7.0, 0.1, 1e10, 1e-300, Limits::denorm_min(), Limits::max()}) {
      EXPECT_EQ(quotient(a, b), a / b) << a << " / " << b;
    }
  }
}

TEST(DivideRounded, follows_ieee_for_zero) {
  EXPECT_TRUE(std::isnan(quotient(0, 0)));
  EXPECT_EQ(quotient(2, 0), kInfinity);
  EXPECT_EQ(quotient(-2, 0), -kInfinity);
  EXPECT_EQ(quotient(0, -3), 0.0);
  EXPECT_FALSE(std::signbit(quotient(0, -3)));
}

TEST(DivideRounded, sees_a_remainder_far_below_a_tie) {
  // (3 (1 + 2^-53) ± 2^-1074) / 3 lies just beside the tie between 1 and 1 + 2^-52.
  const ExactNumber three_ties = ExactNumber(3) + ExactNumber(3 * 0x1p-53);
  const ExactNumber little(Limits::denorm_min());

  EXPECT_EQ(divide_rounded(three_ties, ExactNumber(3)), 1);
  EXPECT_EQ(divide_rounded(three_ties + little, ExactNumber(3)), 1 + 0x1p-52);
  EXPECT_EQ(divide_rounded(three_ties - little, ExactNumber(3)), 1);
}

TEST(DivideRounded, rounds_once_among_subnormals) {
  // 2^-1074 / 2 is a tie and goes to 0; three halves of it go to two; anything above a half goes to one.
  const ExactNumber smallest(Limits::denorm_min());

  EXPECT_EQ(divide_rounded(smallest, ExactNumber(2)), 0);
  EXPECT_EQ(divide_rounded(smallest * ExactNumber(3), ExactNumber(2)), 2 * Limits::denorm_min());
  EXPECT_EQ(divide_rounded(smallest * ExactNumber(1.0001), ExactNumber(2)), Limits::denorm_min());
  EXPECT_TRUE(std::signbit(divide_rounded(-smallest, ExactNumber(4))));
}

TEST(ExactNumber, comes_back_from_its_bytes) {
  for (const ExactNumber& number : {ExactNumber(), ExactNumber(-0.1), power(ExactNumber(3), 400)}) {
    std::vector<std::byte> bytes;
    number.encode(bytes);
    std::span<const std::byte> in(bytes);

    EXPECT_EQ(ExactNumber::decode(in), number);
    EXPECT_TRUE(in.empty());
  }
}

TEST(ExactNumber, refuses_bytes_that_it_never_writes) {
  EXPECT_EQ(decoded({0, 0, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0}), ExactNumber(5));
  EXPECT_THROW(decoded({0, 0, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0}), std::invalid_argument) << "too short";
  EXPECT_THROW(decoded({2, 0, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0}), std::invalid_argument) << "sign";
  EXPECT_THROW(decoded({1, 0, 0, 0, 0, 0, 0, 0, 0}), std::invalid_argument) << "minus zero";
  EXPECT_THROW(decoded({0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}), std::invalid_argument) << "zero limb";
  EXPECT_THROW(decoded({0, 0, 0, 0, 0x70, 1, 0, 0, 0, 5, 0, 0, 0}), std::invalid_argument) << "exponent";
  EXPECT_THROW(decoded({0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0x7F}), std::invalid_argument) << "size";
}

}  // namespace
}  // namespace pileus
