#include "functions/power.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "loops/testing/random_values.h"

namespace pileus {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

TEST(Power, special_values_are_those_of_the_standard) {
  // The special values are those of ISO C, F.10.4.4, which leaves the C library no choice.
  const double special[] = {0.0, -0.0, 1,     -1,     2,         -2,         3,   -3,
                            0.5, -0.5, 1e300, -1e300, kInfinity, -kInfinity, kNan};
  for (const double x : special) {
    for (const double y : special) {
      const double result = power(x, y);
      const double expected = std::pow(x, y);
      if (std::isnan(expected)) {
        EXPECT_EQ(bits(result), bits(kNan)) << x << "^" << y;
      } else {
        EXPECT_EQ(bits(result), bits(expected)) << x << "^" << y;
      }
    }
  }
}

TEST(Power, squares_and_roots_are_those_of_the_processor) {
  testing::Random random(1);
  for (int i = 0; i < 20'000; ++i) {
    const double x = testing::any_finite(random);

    ASSERT_EQ(bits(power(x, 2)), bits(x * x)) << x;
    ASSERT_EQ(bits(power(x, 1)), bits(x)) << x;
    ASSERT_EQ(bits(power(x, -1)), bits(1 / x)) << x;
    if (x > 0) {
      ASSERT_EQ(bits(power(x, 0.5)), bits(std::sqrt(x))) << x;
    }
  }
}

TEST(Power, exact_results_are_exact) {
  // 3^33 < 2^53 < 3^34.
  double expected = 1;
  for (int n = 0; n <= 33; ++n, expected *= 3) {
    EXPECT_EQ(power(3, n), expected);
    EXPECT_EQ(power(-3, n), n % 2 == 0 ? expected : -expected);
  }
  for (int n = -1074; n <= 1023; ++n) EXPECT_EQ(power(2, n), std::ldexp(1.0, n));
  EXPECT_EQ(power(1024, 0.1), 2 * power(1, 7)) << "0.1 is a little more than a tenth, but not enough";
  EXPECT_EQ(power(4, 2.5), 32);
  EXPECT_EQ(power(81, -0.25), 1.0 / 3);
}

TEST(Power, is_near_the_power_of_the_c_library) {
  // Both results are within a unit in the last place of the true value.
  testing::Random random(2);
  for (int i = 0; i < 50'000; ++i) {
    const double x = std::fabs(testing::around_one(random, 40));
    const double y = testing::around_one(random, 5);
    const auto distance =
        static_cast<std::int64_t>(bits(power(x, y))) - static_cast<std::int64_t>(bits(std::pow(x, y)));

    ASSERT_LE(std::abs(distance), 1) << x << "^" << y;
  }
}

}  // namespace
}  // namespace pileus
