#include "math/extremum.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "loops/testing/random_values.h"

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

template <class T>
void expect_columns_as_one_by_one(pileus::testing::Random& random) {
  const std::size_t columns = pileus::testing::below(random, 20), rows = pileus::testing::below(random, 9);
  const std::size_t stride = columns + pileus::testing::below(random, 3);
  std::vector<T> values(rows * stride + columns);
  const double few[] = {0.0, -0.0, 1, -1, kInfinity, -kInfinity, kNan, 2.5};
  const std::size_t kinds = std::is_integral_v<T> ? 4 : 8, first = pileus::testing::below(random, 2) * 2;
  for (T& value : values) value = static_cast<T>(few[first + pileus::testing::below(random, kinds - first)]);
  for (const Sign sign : {Sign::as_is, Sign::negated}) {
    std::vector<double> smallest(columns, pileus::testing::below(random, 2) == 0 ? kInfinity : 0.0),
        expected = smallest;

    add_to_smallest(std::span<double>(smallest), values.data(), rows, static_cast<std::ptrdiff_t>(stride),
                    sign);

    for (std::size_t c = 0; c < columns; ++c) {
      for (std::size_t r = 0; r < rows; ++r) {
        const double value = static_cast<double>(values[c + r * stride]);
        expected[c] = smaller(expected[c], sign == Sign::as_is ? value : -value);
      }
      ASSERT_EQ(std::bit_cast<std::uint64_t>(smallest[c]), std::bit_cast<std::uint64_t>(expected[c]))
          << c << " of " << columns << ", " << rows << " rows";
    }
  }
}

TEST(Extremum, of_columns_is_that_of_each) {
  pileus::testing::Random random(3);
  for (int round = 0; round < 500; ++round) {
    expect_columns_as_one_by_one<double>(random);
    expect_columns_as_one_by_one<float>(random);
    expect_columns_as_one_by_one<std::int8_t>(random);
    expect_columns_as_one_by_one<std::int32_t>(random);
    expect_columns_as_one_by_one<std::int64_t>(random);
  }
}

}  // namespace
}  // namespace pileus::detail
