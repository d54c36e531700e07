#include "functions/elementary.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "loops/testing/random_values.h"

namespace pileus {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kSmallest = std::numeric_limits<double>::denorm_min();

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

TEST(Elementary, special_values_are_those_of_the_standard) {
  // The special values are those of ISO C, F.10.
  EXPECT_EQ(bits(exponential(0.0)), bits(1));
  EXPECT_EQ(bits(exponential(-0.0)), bits(1));
  EXPECT_EQ(bits(exponential(kInfinity)), bits(kInfinity));
  EXPECT_EQ(bits(exponential(-kInfinity)), bits(0));
  EXPECT_EQ(bits(exponential(kSmallest)), bits(1));
  EXPECT_EQ(bits(logarithm(0.0)), bits(-kInfinity));
  EXPECT_EQ(bits(logarithm(-0.0)), bits(-kInfinity));
  EXPECT_EQ(bits(logarithm(1)), bits(0));
  EXPECT_EQ(bits(logarithm(kInfinity)), bits(kInfinity));
  EXPECT_EQ(bits(sine(0.0)), bits(0.0));
  EXPECT_EQ(bits(sine(-0.0)), bits(-0.0));
  EXPECT_EQ(bits(sine(-kSmallest)), bits(-kSmallest));
  EXPECT_EQ(bits(cosine(-0.0)), bits(1));
  EXPECT_EQ(bits(square_root(-0.0)), bits(-0.0));
  EXPECT_EQ(bits(square_root(kInfinity)), bits(kInfinity));
}

TEST(Elementary, what_is_undefined_is_one_nan) {
  for (const double x : {-1.0, -kInfinity, kNan, -kNan}) {
    EXPECT_EQ(bits(logarithm(x)), bits(kNan)) << x;
    EXPECT_EQ(bits(square_root(x)), bits(kNan)) << x;
  }
  for (const double x : {kInfinity, -kInfinity, kNan, -kNan}) {
    EXPECT_EQ(bits(sine(x)), bits(kNan)) << x;
    EXPECT_EQ(bits(cosine(x)), bits(kNan)) << x;
    EXPECT_EQ(bits(modulo(x, 2)), bits(kNan)) << x;
  }
  EXPECT_EQ(bits(exponential(-kNan)), bits(kNan));
  EXPECT_EQ(bits(modulo(1, 0)), bits(kNan));
  EXPECT_EQ(bits(modulo(1, kNan)), bits(kNan));
}

TEST(Elementary, are_near_those_of_the_c_library) {
  // The functions compared with are within a unit in the last place of the true value.
  testing::Random random(1);
  const auto distance = [](double a, double b) {
    return std::abs(static_cast<std::int64_t>(bits(a)) - static_cast<std::int64_t>(bits(b)));
  };
  for (int i = 0; i < 50'000; ++i) {
    const double x = i % 2 == 0 ? testing::any_finite(random) : testing::around_one(random, 9);

    ASSERT_LE(distance(exponential(x), std::exp(x)), 1) << x;
    ASSERT_LE(distance(logarithm(std::fabs(x)), std::log(std::fabs(x))), 1) << x;
    ASSERT_LE(distance(sine(x), std::sin(x)), 1) << x;
    ASSERT_LE(distance(cosine(x), std::cos(x)), 1) << x;
  }
}

TEST(Elementary, sine_is_odd_and_cosine_even) {
  testing::Random random(2);
  for (int i = 0; i < 5'000; ++i) {
    const double x = testing::around_one(random, 60);

    ASSERT_EQ(bits(sine(-x)), bits(-sine(x))) << x;
    ASSERT_EQ(bits(cosine(-x)), bits(cosine(x))) << x;
  }
}

TEST(Elementary, modulo_has_the_sign_of_the_divisor) {
  // The results are those of Python's %: 7 = 2 · 3 + 1, -7 = -3 · 3 + 2.
  EXPECT_EQ(modulo(7, 3), 1);
  EXPECT_EQ(modulo(-7, 3), 2);
  EXPECT_EQ(modulo(7, -3), -2);
  EXPECT_EQ(modulo(-7, -3), -1);
  EXPECT_EQ(modulo(5.5, 2), 1.5);
  EXPECT_EQ(bits(modulo(-6, 3)), bits(0.0));
  EXPECT_EQ(bits(modulo(6, -3)), bits(-0.0));
  EXPECT_EQ(modulo(0x1p1000, 3), 1) << "2^1000 = (3 - 1)^1000";
  EXPECT_EQ(modulo(-0x1p1001, 3), 1) << "2^1001 is 2 more than a multiple";
  EXPECT_EQ(modulo(1, kInfinity), 1);
  EXPECT_EQ(modulo(-1, kInfinity), kInfinity);
  EXPECT_EQ(modulo(1, -kInfinity), -kInfinity);
  EXPECT_EQ(modulo(-kSmallest, 1), 1) << "1 - 2^-1074 rounds to 1";
}

TEST(Elementary, extrema_order_zeros_and_pass_nans_on) {
  for (const double other : {0.0, 1.0, kInfinity, -kInfinity, kNan}) {
    EXPECT_EQ(bits(minimum(kNan, other)), bits(kNan));
    EXPECT_EQ(bits(minimum(other, -kNan)), bits(kNan));
    EXPECT_EQ(bits(maximum(-kNan, other)), bits(kNan));
    EXPECT_EQ(bits(maximum(other, kNan)), bits(kNan));
  }
  EXPECT_EQ(bits(minimum(0.0, -0.0)), bits(-0.0));
  EXPECT_EQ(bits(minimum(-0.0, 0.0)), bits(-0.0));
  EXPECT_EQ(bits(maximum(0.0, -0.0)), bits(0.0));
  EXPECT_EQ(bits(maximum(-0.0, 0.0)), bits(0.0));
  EXPECT_EQ(minimum(2, -3), -3);
  EXPECT_EQ(maximum(-kInfinity, -3), -3);
}

}  // namespace
}  // namespace pileus
