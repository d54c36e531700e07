#include "math/weighted_mean.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace pileus {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

ExactWeightedMean mean_of(const std::vector<std::pair<double, double>>& samples) {
  ExactWeightedMean mean;
  for (const auto& [weight, value] : samples) mean.add(weight, value);
  return mean;
}

Partial mean_over(const std::vector<double>& values) {
  Partial partial(Reduction::mean);
  partial.add(std::span<const double>(values));
  return partial;
}

std::vector<std::byte> bytes_of(const ExactWeightedMean& mean) {
  std::vector<std::byte> bytes;
  mean.encode(bytes);
  return bytes;
}

TEST(ExactWeightedMean, weights_its_samples) {
  const ExactWeightedMean mean = mean_of({{1, 10}, {3, 2}});

  EXPECT_EQ(mean.value(), 4);  // (10 + 6) / 4
  EXPECT_EQ(mean.weight(), 4);
}

TEST(ExactWeightedMean, of_nothing_is_nan) {
  EXPECT_TRUE(std::isnan(ExactWeightedMean().value()));
  EXPECT_TRUE(std::isnan(mean_of({{0, 5}}).value()));
  EXPECT_EQ(ExactWeightedMean().weight(), 0);
}

TEST(ExactWeightedMean, of_one_constant_is_the_constant) {
  // Neither the weights nor their sum are sums of doubles without rounding.
  EXPECT_EQ(mean_of({{0.1, 0.3}, {0.2, 0.3}, {1e-17, 0.3}, {1e300, 0.3}}).value(), 0.3);
}

TEST(ExactWeightedMean, rounds_quotients_of_different_counts_once) {
  // 1/3 and 2/3 with equal weights: 1/2 exactly. With rounded thirds it would be 1/2 by luck only.
  // 1/3, 1/7 and 11/21 likewise: (7 + 3 + 11) / 21 / 3 = 1/3.
  ExactWeightedMean halves;
  ExactWeightedMean thirds;

  halves.add(0.1, mean_over({1, 0, 0}));
  halves.add(0.1, mean_over({1, 1, 0}));
  thirds.add(0.7, mean_over({1, 0, 0}));
  thirds.add(0.7, mean_over({1, 0, 0, 0, 0, 0, 0}));
  thirds.add(0.7, mean_over({11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));

  EXPECT_EQ(halves.value(), 0.5);
  EXPECT_EQ(thirds.value(), 1.0 / 3);
}

TEST(ExactWeightedMean, follows_ieee_for_values_and_weights_that_are_not_finite) {
  EXPECT_EQ(mean_of({{1, kInfinity}, {2, 5}}).value(), kInfinity);
  EXPECT_EQ(mean_of({{1, -kInfinity}, {2, 5}}).value(), -kInfinity);
  EXPECT_TRUE(std::isnan(mean_of({{1, kInfinity}, {1, -kInfinity}}).value()));
  EXPECT_TRUE(std::isnan(mean_of({{0, kInfinity}, {1, 1}}).value()));
  EXPECT_TRUE(std::isnan(mean_of({{1, kNan}, {1, 1}}).value()));
  EXPECT_TRUE(std::isnan(mean_of({{kNan, 1}, {1, 1}}).value()));
  EXPECT_TRUE(std::isnan(mean_of({{kInfinity, 1}, {1, 1}}).value()));
  ExactWeightedMean with_empty;
  with_empty.add(1, Partial(Reduction::mean));
  EXPECT_TRUE(std::isnan(with_empty.value()));
}

TEST(ExactWeightedMean, has_the_same_bytes_in_any_order_and_after_a_pause) {
  std::vector<std::pair<double, Partial>> samples;
  for (int i = 0; i < 6; ++i) {
    samples.emplace_back(0.1 * i,
                         mean_over(std::vector<double>(static_cast<std::size_t>(1 + i % 3), 0.3 * i)));
  }
  samples.emplace_back(2, mean_over({kInfinity}));
  ExactWeightedMean forwards;
  for (const auto& [weight, partial] : samples) forwards.add(weight, partial);
  std::reverse(samples.begin(), samples.end());
  ExactWeightedMean backwards;

  for (const auto& [weight, partial] : samples) {
    backwards.add(weight, partial);
    const auto saved = bytes_of(backwards);
    std::span<const std::byte> in(saved);
    backwards = ExactWeightedMean::decode(in);
    EXPECT_TRUE(in.empty());
  }

  EXPECT_EQ(bytes_of(backwards), bytes_of(forwards));
  EXPECT_EQ(backwards.value(), kInfinity);
}

TEST(ExactWeightedMean, keeps_infinities_and_nan_in_its_bytes) {
  for (const double value : {kInfinity, -kInfinity, kNan}) {
    const auto bytes = bytes_of(mean_of({{2, value}, {1, 3}}));
    std::span<const std::byte> in(bytes);

    const ExactWeightedMean back = ExactWeightedMean::decode(in);

    EXPECT_EQ(bytes_of(back), bytes);
    EXPECT_TRUE(std::isnan(value) ? std::isnan(back.value()) : back.value() == value);
  }
}

TEST(ExactWeightedMean, refuses_every_truncation_and_unknown_kinds) {
  ExactWeightedMean mean = mean_of({{1, 10}});
  mean.add(2, mean_over({1, 2, 3}));
  auto bytes = bytes_of(mean);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    std::span<const std::byte> in(bytes.data(), size);
    EXPECT_THROW(ExactWeightedMean::decode(in), std::invalid_argument);
  }

  bytes[0] = std::byte{4};

  std::span<const std::byte> in(bytes);
  EXPECT_THROW(ExactWeightedMean::decode(in), std::invalid_argument);
}

}  // namespace
}  // namespace pileus
