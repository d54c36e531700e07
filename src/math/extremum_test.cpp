#include "math/extremum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace pileus::detail {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double smallest_of(const std::vector<double>& values) {
  return smallest(std::span<const double>(values), Sign::as_is);
}
double largest_of(const std::vector<double>& values) {
  return -smallest(std::span<const double>(values), Sign::negated);
}

TEST(Extremum, finds_the_value_wherever_it_stands) {
  for (std::size_t place = 0; place < 19; ++place) {
    std::vector<double> values(19, 2.5);
    values[place] = -3;
    EXPECT_EQ(smallest_of(values), -3);
    values[place] = 7;
    EXPECT_EQ(largest_of(values), 7);
  }
}

TEST(Extremum, takes_minus_zero_for_less_than_plus_zero) {
  for (std::size_t place = 0; place < 19; ++place) {
    std::vector<double> values(19, 0.0);
    values[place] = -0.0;
    EXPECT_TRUE(std::signbit(smallest_of(values)));
    EXPECT_FALSE(std::signbit(largest_of(values)));
    for (double& value : values) value = -value;
    EXPECT_TRUE(std::signbit(smallest_of(values)));
    EXPECT_FALSE(std::signbit(largest_of(values)));
  }
  EXPECT_TRUE(std::signbit(largest_of(std::vector<double>(19, -0.0))));
  EXPECT_FALSE(std::signbit(smallest_of(std::vector<double>(19, 0.0))));
}

TEST(Extremum, is_nan_when_any_value_is) {
  for (std::size_t place = 0; place < 19; ++place) {
    std::vector<double> values(19, -kInfinity);
    values[place] = -kNan;
    EXPECT_TRUE(std::isnan(smallest_of(values)));
    EXPECT_TRUE(std::isnan(largest_of(values)));
  }
}

TEST(Extremum, of_nothing_is_neutral) {
  EXPECT_EQ(smallest_of({}), kInfinity);
  EXPECT_EQ(largest_of({}), -kInfinity);
}

TEST(Extremum, takes_floats_and_strides) {
  const std::vector<float> values{1, 9, -2, 8, 3, -7};

  EXPECT_EQ(smallest(std::span<const float>(values), Sign::as_is), -7);
  EXPECT_EQ(smallest_strided(values.data(), 3, 2, Sign::as_is), -2);
  EXPECT_EQ(smallest_strided(values.data() + 5, 3, -2, Sign::negated), -9);
}

}  // namespace
}  // namespace pileus::detail
