#include "distributions/order_statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "distributions/between.h"

namespace pileus::distributions {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double of_sorted(std::vector<double> values, double quantile) {
  std::ranges::sort(values);
  const Place place(static_cast<std::int64_t>(values.size()), quantile);
  const auto at = static_cast<std::size_t>(place.below);
  return on_line(values[at], values[std::min(at + 1, values.size() - 1)], place.beyond);
}

bool is_same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

void expect_those_of_sorted(const std::vector<double>& values) {
  const std::vector<double> quantiles = {0, 0.001, 0.05, 0.25, 0.5, 0.5001, 0.95, 0.9999, 1};
  std::vector<double> found(quantiles.size()), mixed = values;
  find_quantiles(mixed, quantiles, found);
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_TRUE(is_same(found[i], of_sorted(values, quantiles[i])))
        << quantiles[i] << " of " << values.size();
}

TEST(Quantiles, AreThoseOfSortedNumbersOfAnyKind) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  for (const std::size_t size : {1, 2, 3, 10, 1000, 40000, 100001}) {
    std::vector<double> values(size);
    for (double& one : values) one = normal(random);
    expect_those_of_sorted(values);
    for (double& one : values) one = std::exp(40 * one);
    expect_those_of_sorted(values);
    for (double& one : values) one = std::floor(std::fmod(one, 3.0));  // many that are equal
    expect_those_of_sorted(values);
    std::ranges::fill(values, -2.5);
    expect_those_of_sorted(values);
    for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<double>(i);  // a sample that is no chance
    expect_those_of_sorted(values);
    for (std::size_t i = 0; i < size; i += 3) values[i] = i % 2 == 0 ? kInfinity : -kInfinity;
    expect_those_of_sorted(values);
  }
}

/// All that the sample does not see are far away from it.
TEST(Quantiles, AreRightWhereTheSampleMisleads) {
  const std::size_t size = 4096 * 20;
  std::vector<double> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = i % 20 == 0 ? static_cast<double>(i) : 1e9 + i;
  expect_those_of_sorted(values);
}

TEST(Quantiles, AreMadeOfTheSameValuesOnEveryProcessor) {
  std::mt19937_64 random(9);
  for (const std::size_t size : {0, 1, 15, 16, 1023, 1024}) {
    std::vector<double> values(size), portable(size + 2), best(size + 2);
    for (double& one : values) one = static_cast<double>(random() % 9);
    std::size_t count = 1, best_count = 1;
    std::int64_t below = 5, best_below = 5;
    take_between(values.data(), size, 3, 5, portable.data(), count, below);
    best_take_between()(values.data(), size, 3, 5, best.data(), best_count, best_below);
    portable.resize(count);
    best.resize(best_count);
    EXPECT_EQ(best, portable);
    EXPECT_EQ(best_below, below);
    EXPECT_EQ(below, 5 + std::ranges::count_if(values, [](double one) { return one < 3; }));
  }
}

TEST(Quantiles, LieOnTheLineBetweenTwoNumbers) {
  std::vector<double> values = {4, 1, 3, 2}, found(3);
  find_quantiles(values, std::vector{0.25, 0.5, 0.9}, found);
  EXPECT_EQ(found[0], 1.75);
  EXPECT_EQ(found[1], 2.5);
  EXPECT_DOUBLE_EQ(found[2], 3.7);
  EXPECT_EQ(on_line(kInfinity, kInfinity, 0.5), kInfinity);
  EXPECT_EQ(on_line(-kInfinity, 1, 0), -kInfinity);
}

TEST(MostFrequent, IsTheSmallestOfSeveral) {
  std::vector<double> values = {3, 1, 2, 3, 2, 7};
  EXPECT_EQ(most_frequent(values), 2);
  std::mt19937_64 random(3);
  for (const unsigned different : {3U, 1000U, 100000U}) {
    for (const std::size_t size : {60, 5000, 20000}) {
      std::vector<double> many(size);
      for (double& value : many) value = 0.5 * static_cast<double>(random() % different) - 1;
      std::map<double, int> times;
      for (const double value : many) ++times[value];
      const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
      const double expected = std::ranges::max_element(times, less)->first;
      EXPECT_EQ(most_frequent(many), expected) << different << " in " << size;
    }
  }
  std::vector<double> one = {5};
  EXPECT_EQ(most_frequent(one), 5);
}

}  // namespace
}  // namespace pileus::distributions
