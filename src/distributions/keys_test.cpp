#include "distributions/keys.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "distributions/order_statistics.h"

namespace pileus::distributions {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Keys, RiseWithNumbersAndStandNearThem) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> exponent(-86, 88);
  for (int i = 0; i < 20000; ++i) {
    const double value = std::exp(exponent(random)), larger = value * 1.008;
    EXPECT_LE(std::fabs(value_of_key(key_of(value)) - value), kKeyError * value) << value;
    EXPECT_EQ(value_of_key(key_of(-value)), -value_of_key(key_of(value)));
    EXPECT_LT(key_of(value), key_of(larger)) << value;
    EXPECT_GT(key_of(-value), key_of(-larger)) << value;
  }
}

TEST(Keys, OfOtherNumbersAreTheirOwn) {
  EXPECT_EQ(key_of(-kInfinity), 0);
  EXPECT_EQ(key_of(kInfinity), kKeys - 2);
  EXPECT_EQ(key_of(std::numeric_limits<double>::quiet_NaN()), kKeys - 1);
  EXPECT_EQ(key_of(0.0), key_of(-0.0));
  EXPECT_EQ(key_of(1e-39), key_of(0.0));
  EXPECT_EQ(key_of(3.5e38), key_of(kInfinity));
  EXPECT_LT(key_of(3.3e38), key_of(kInfinity));
  for (const double one : {-kInfinity, 0.0, kInfinity}) EXPECT_EQ(value_of_key(key_of(one)), one);
}

TEST(QuantilesOfCounts, AreNearThoseOfTheNumbers) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal(280, 20);
  std::vector<double> values(5001), counts(kKeys);
  for (double& one : values) ++counts[static_cast<std::size_t>(key_of(one = normal(random)))];
  const std::vector<double> quantiles = {0, 0.05, 0.5, 0.99, 1};
  std::vector<double> exact(5), counted(5);
  find_quantiles(values, quantiles, exact);
  ASSERT_TRUE(find_quantiles_of_counts(counts, quantiles, counted));
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_LE(std::fabs(counted[i] - exact[i]), kKeyError * std::fabs(exact[i]));
}

TEST(QuantilesOfCounts, KnowNothingAndNan) {
  std::vector<double> counts(kKeys), found(1);
  EXPECT_FALSE(find_quantiles_of_counts(counts, std::vector{0.5}, found));
  counts[static_cast<std::size_t>(key_of(1))] = 7;
  counts.back() = 1;
  ASSERT_TRUE(find_quantiles_of_counts(counts, std::vector{0.5}, found));
  EXPECT_TRUE(std::isnan(found[0]));
}

}  // namespace
}  // namespace pileus::distributions
