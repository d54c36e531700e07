#include "distributions/lanes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "distributions/order_statistics.h"

namespace pileus::distributions {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(LaneQuantiles, AreThoseOfEachGroup) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  const std::vector<double> shares = {0, 0.05, 0.5, 0.9, 1};
  for (std::size_t numbers = 1; numbers <= LaneQuantiles::kMost; ++numbers) {
    const LaneQuantiles lanes(numbers, shares);
    std::vector<double> rows(numbers * kLanes), found(shares.size() * kLanes), right(shares.size());
    for (double& one : rows) {
      one = random() % 4 == 0 ? std::round(normal(random)) : normal(random);
      if (random() % 50 == 0) one = one < 0 ? -kInfinity : kInfinity;
    }
    const std::vector<double> before = rows;
    lanes.find(rows.data(), found.data());
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      std::vector<double> group;
      for (std::size_t i = 0; i < numbers; ++i) group.push_back(before[i * kLanes + lane]);
      find_quantiles(group, shares, right);
      for (std::size_t q = 0; q < shares.size(); ++q) {
        const double one = found[q * kLanes + lane];
        EXPECT_TRUE(one == right[q] || (std::isnan(one) && std::isnan(right[q]))) << numbers << ' ' << lane;
        EXPECT_EQ(std::signbit(one), std::signbit(right[q]));
      }
    }
  }
}

/// A NaN stays in its lane.
TEST(LaneQuantiles, DoNotMixGroups) {
  const std::array<double, 1> half = {0.5};
  const LaneQuantiles lanes(3, half);
  std::array<double, 3 * kLanes> rows{};
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<double>(10 * (i % kLanes) + i / kLanes);
  rows[kLanes + 2] = std::numeric_limits<double>::quiet_NaN();
  std::array<double, kLanes> found{};
  lanes.find(rows.data(), found.data());
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if (lane == 2) continue;
    EXPECT_EQ(found[lane], static_cast<double>(10 * lane + 1));
  }
}

}  // namespace
}  // namespace pileus::distributions
