#include "distributions/sketch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "core/error.h"
#include "distributions/order_statistics.h"

namespace pileus::distributions {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kShares[] = {0, 0.01, 0.05, 0.5, 0.95, 1};

Sketch sketch_of(const std::vector<double>& values) {
  Sketch sketch;
  for (const double one : values) sketch.add(one);
  return sketch;
}

double exact(std::vector<double> values, double share) {
  double found = 0;
  find_quantiles(values, {&share, 1}, {&found, 1});
  return found;
}

TEST(Sketch, KeepsNumbersAsTheyAreUpToACount) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (const std::size_t size : {1, 2, 30, 128}) {
    std::vector<double> values(size);
    for (double& one : values) one = normal(random);
    for (const double share : kShares) EXPECT_EQ(sketch_of(values).quantile(share), exact(values, share));
  }
}

/// Classes of one octave are as wide as each other, and one width less would take more than 128 of them.
TEST(Sketch, IsWithinItsBoundOfTheRange) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> uniform(260, 310);
  std::vector<double> values(5000);
  for (double& one : values) one = uniform(random);
  const Sketch sketch = sketch_of(values);
  for (const double share : kShares)
    EXPECT_LE(std::fabs(sketch.quantile(share) - exact(values, share)), 50.0 / 127) << share;
  EXPECT_LE(sketch.allocated_bytes(), Sketch::kMostBytes);
}

/// Over r octaves the error is at most (r + 1) / 128 of a number.
TEST(Sketch, IsWithinItsBoundOfNumbersOfManySizes) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> exponent(-5, 6);
  std::vector<double> values(3000);
  for (double& one : values) one = std::exp2(exponent(random));
  const Sketch sketch = sketch_of(values);
  for (const double share : kShares) {
    const double right = exact(values, share);
    EXPECT_LE(std::fabs(sketch.quantile(share) - right), right * 12 / 128) << share;
  }
}

TEST(Sketch, DoesNotFollowTheOrderOfNumbers) {
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal(0, 3);
  std::vector<double> values(1000);
  for (double& one : values) one = normal(random);
  const Sketch sketch = sketch_of(values);
  for (int i = 0; i < 20; ++i) {
    std::ranges::shuffle(values, random);
    EXPECT_EQ(sketch_of(values), sketch);
  }
  std::ranges::sort(values);
  EXPECT_EQ(sketch_of(values), sketch);
}

TEST(Sketch, KnowsFewNumbersThatComeOften) {
  std::vector<double> values;
  for (int i = 0; i < 900; ++i) values.push_back(i % 3 == 0 ? -kInfinity : i % 3 == 1 ? 0 : kInfinity);
  const Sketch sketch = sketch_of(values);
  EXPECT_EQ(sketch.quantile(0.1), -kInfinity);
  EXPECT_EQ(sketch.quantile(0.5), 0);
  EXPECT_EQ(sketch.quantile(0.9), kInfinity);
  const Sketch alike = sketch_of(std::vector<double>(500, 1.5));
  EXPECT_NEAR(alike.quantile(0.5), 1.5, 1e-6);
}

TEST(Sketch, WidensClassesForNumbersOfAnySize) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> exponent(-1000, 1000);
  std::vector<double> values(4000);
  for (double& one : values) one = (random() % 2 == 0 ? 1 : -1) * std::exp2(exponent(random));
  const Sketch sketch = sketch_of(values);
  EXPECT_LE(sketch.allocated_bytes(), Sketch::kMostBytes);
  EXPECT_LT(sketch.quantile(0.1), 0);
  EXPECT_GT(sketch.quantile(0.9), 0);
}

TEST(Sketch, IsNanWhereANumberIs) {
  Sketch sketch = sketch_of({1, 2});
  sketch.add(std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(std::isnan(sketch.quantile(0.5)));
}

TEST(Sketch, GoesOnFromItsBytes) {
  std::mt19937_64 random(6);
  std::normal_distribution<double> normal;
  for (const std::size_t size : {1, 100, 128, 129, 2000}) {
    std::vector<double> values(size);
    for (double& one : values) one = normal(random);
    Sketch sketch = sketch_of(values);
    Bytes bytes;
    sketch.encode(bytes);
    std::span<const std::byte> in(bytes);
    Sketch again = Sketch::decode(in);
    EXPECT_TRUE(in.empty());
    for (int i = 0; i < 200; ++i) {
      const double one = normal(random);
      sketch.add(one);
      again.add(one);
    }
    EXPECT_EQ(again, sketch);
    bytes.resize(bytes.size() - 1);
    in = bytes;
    EXPECT_THROW((void)Sketch::decode(in), TransportError);
  }
}

}  // namespace
}  // namespace pileus::distributions
