#include "distributions/bin_finder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace pileus::distributions {
namespace {

using Values = std::vector<double>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::size_t searched(const Values& edges, double value) {
  for (std::size_t bin = 0; bin + 1 < edges.size(); ++bin) {
    const bool is_last = bin + 2 == edges.size();
    if (value >= edges[bin] && (value < edges[bin + 1] || (is_last && value == edges[bin + 1])))
      return bin + 1;
  }
  return value > edges.back() ? edges.size() : 0;
}

void expect_those_of_a_search(const Values& edges) {
  const BinFinder finder(std::make_shared<const Values>(edges));
  std::mt19937_64 random(1);
  std::normal_distribution<double> near(0, 2);
  Values values = {-kInfinity, kInfinity, 0, -0.0, 1e300, -1e300, std::numeric_limits<double>::quiet_NaN()};
  for (const double edge : edges)
    values.insert(values.end(), {edge, std::nextafter(edge, -kInfinity), std::nextafter(edge, kInfinity)});
  for (int i = 0; i < 3000; ++i) values.push_back(i % 2 == 0 ? near(random) : std::exp(8 * near(random)));
  std::vector<std::uint32_t> bins(values.size());
  finder.find(values, bins);
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(bins[i], searched(edges, values[i])) << values[i] << " in " << edges.size();
}

TEST(BinFinder, FindsWhatASearchFinds) {
  Values even, logarithmic, uneven = {-1e9};
  std::mt19937_64 random(2);
  for (int i = 0; i <= 100; ++i) even.push_back(-5 + 0.1 * i);
  for (int i = 0; i <= 60; ++i) logarithmic.push_back(std::pow(10, -6 + i / 5.0));
  for (int i = 0; i < 50; ++i)
    uneven.push_back(std::ldexp(static_cast<double>(random() % 1000) - 500, i % 9));
  std::ranges::sort(uneven);
  uneven.erase(std::unique(uneven.begin(), uneven.end()), uneven.end());
  for (const Values& edges :
       {even, logarithmic, uneven, Values{0, 1}, Values{-kInfinity, -1, 0, 1, kInfinity},
        Values{-kInfinity, 0, kInfinity}, Values{-1e308, 0, 1e308}, Values{0, 5e-324, 1e-323},
        Values{-kInfinity, kInfinity}, Values{0, 1, 1e9, 1e9 + 1, 1e18, 1e18 + 256},
        Values{-1.7e308, -1, 1, 1.7e308}, Values{-kInfinity, -1.7e308, 1.7e308, kInfinity}})
    expect_those_of_a_search(edges);
}

}  // namespace
}  // namespace pileus::distributions
