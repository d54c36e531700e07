#include "math/square_root.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "loops/testing/random_values.h"

namespace pileus {
namespace {

double root(double numerator, double denominator = 1) {
  return square_root_rounded(ExactNumber(numerator), ExactNumber(denominator));
}
double root_of_power(std::int64_t exponent) {
  return square_root_rounded(ExactNumber(1).times_power_of_two(exponent), ExactNumber(1));
}

TEST(SquareRoot, of_a_double_is_that_of_the_processor) {
  testing::Random random(1);
  for (int i = 0; i < 20000; ++i) {
    const double value = std::fabs(testing::any_finite(random));
    ASSERT_EQ(root(value), std::sqrt(value)) << value;
  }
  EXPECT_EQ(root(0), 0);
  EXPECT_FALSE(std::signbit(root(-0.0)));
}

TEST(SquareRoot, of_a_quotient_is_rounded_once) {
  // Neither quotient is a double. Python's cases of standard deviations have more.
  EXPECT_EQ(root(1, 9), 1.0 / 3);
  EXPECT_EQ(root(49, 25), 7.0 / 5);
}

TEST(SquareRoot, exact_halves_go_to_the_even_neighbour) {
  // (2^53 + 1)² and (2^53 + 3)² have roots in the middle of two doubles.
  for (const std::int64_t odd : {(std::int64_t{1} << 53) + 1, (std::int64_t{1} << 53) + 3}) {
    const ExactNumber middle(odd);
    const ExactNumber below = middle * middle - ExactNumber(1), above = middle * middle + ExactNumber(1);
    const auto lower = static_cast<double>(odd - 1), upper = static_cast<double>(odd + 1);

    EXPECT_EQ(square_root_rounded(below, ExactNumber(1)), lower);
    EXPECT_EQ(square_root_rounded(above, ExactNumber(1)), upper);
    EXPECT_EQ(square_root_rounded(middle * middle, ExactNumber(1)), odd % 4 == 1 ? lower : upper);
  }
}

TEST(SquareRoot, beyond_the_range_of_doubles_is_rounded_as_all_results_are) {
  EXPECT_EQ(root_of_power(2046), 0x1p1023);
  EXPECT_EQ(root_of_power(2048), HUGE_VAL);
  EXPECT_EQ(root_of_power(4000), HUGE_VAL);
  EXPECT_EQ(root_of_power(-2148), 0x1p-1074);
  EXPECT_EQ(root_of_power(-2150), 0);  // half of the smallest double
  EXPECT_EQ(root_of_power(-2149), 0x1p-1074);
  EXPECT_EQ(root_of_power(-4000), 0);
  const ExactNumber largest(std::numeric_limits<double>::max());
  EXPECT_EQ(square_root_rounded(largest * largest, ExactNumber(1)), std::numeric_limits<double>::max());
}

}  // namespace
}  // namespace pileus
