// standard_deviation, skewness and kurtosis; on samples that are small enough to check by hand.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "time/manipulations/list.h"
#include "time/window.h"

namespace pileus {
namespace {

using Values = std::vector<double>;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kFill = 0x1.ep+122;

struct Weighted {
  double weight;
  Values values;
};

Values record_of(Manipulation manipulation, bool is_exact, const std::vector<Weighted>& samples,
                 std::optional<double> missing = {}) {
  const auto window = make_window(manipulation, is_exact, missing);
  for (const Weighted& one : samples)
    window->add(make_array(one.values, {static_cast<Index>(one.values.size())}), one.weight);
  const std::optional<Array> record = window->take_record();
  const auto values = record.value().as<double>();
  return {values.begin(), values.end()};
}

/// Exact windows and running ones.
class MomentsOverTime : public ::testing::TestWithParam<bool> {
 protected:
  static Values deviation(const std::vector<Weighted>& samples) {
    return record_of(manipulations::standard_deviation(), GetParam(), samples);
  }
  static Values skewness(const std::vector<Weighted>& samples) {
    return record_of(manipulations::skewness(), GetParam(), samples);
  }
  static Values kurtosis(const std::vector<Weighted>& samples) {
    return record_of(manipulations::kurtosis(), GetParam(), samples);
  }
};
INSTANTIATE_TEST_SUITE_P(, MomentsOverTime, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "exact" : "running"; });

TEST_P(MomentsOverTime, weigh_samples_by_time) {
  const std::vector<Weighted> samples = {{3, {0, 7}}, {1, {4, 7}}, {0, {1e300, 0}}};

  // Mean 1: m2 = (3·1 + 9) / 4 = 3, m3 = (-3 + 27) / 4 = 6, m4 = (3 + 81) / 4 = 21.
  EXPECT_EQ(deviation(samples), (Values{std::sqrt(3.0), 0}));
  EXPECT_DOUBLE_EQ(skewness(samples)[0], 6 / std::sqrt(27.0));
  EXPECT_DOUBLE_EQ(kurtosis(samples)[0], 21.0 / 9);
  EXPECT_DOUBLE_EQ(skewness({{3, {4}}, {1, {0}}})[0], -6 / std::sqrt(27.0));
}

TEST_P(MomentsOverTime, of_equal_samples_have_neither_skewness_nor_kurtosis) {
  const std::vector<Weighted> samples = {{0.1, {0.1, -0.0}}, {0.7, {0.1, 0.0}}};

  for (const Values& record : {skewness(samples), kurtosis(samples)})
    for (const double value : record) EXPECT_TRUE(std::isnan(value));
}

TEST_P(MomentsOverTime, are_nan_where_a_sample_is_nan_or_infinite) {
  const std::vector<Weighted> samples = {{1, {kNan, 1, 1}}, {1, {1, HUGE_VAL, 2}}, {1, {2, 3, -HUGE_VAL}}};

  for (const Values& record : {deviation(samples), skewness(samples), kurtosis(samples)})
    for (const double value : record) EXPECT_TRUE(std::isnan(value));
}

TEST_P(MomentsOverTime, leave_out_what_is_missing) {
  const std::vector<Weighted> samples = {{3, {0, -1}}, {5, {-1, -1}}, {1, {4, -1}}};
  const auto of_present = [&](Manipulation one) { return record_of(one, GetParam(), samples, -1.0); };

  EXPECT_EQ(of_present(manipulations::standard_deviation()), (Values{std::sqrt(3.0), kFill}));
  EXPECT_DOUBLE_EQ(of_present(manipulations::skewness())[0], 6 / std::sqrt(27.0));
  EXPECT_DOUBLE_EQ(of_present(manipulations::kurtosis())[0], 21.0 / 9);
  EXPECT_EQ(of_present(manipulations::skewness())[1], kFill);
}

TEST_P(MomentsOverTime, of_small_deviations_from_a_large_mean_keep_their_bits) {
  std::mt19937_64 random(3);
  for (int run = 0; run < 50; ++run) {
    std::vector<Weighted> near, far;
    for (int i = 0; i < 40; ++i) {
      const double deviation = std::ldexp(static_cast<double>(random() % 1000), -10);
      const double weight = std::ldexp(1 + static_cast<double>(random() % 100), -4);
      near.push_back({weight, {deviation}});
      far.push_back({weight, {deviation + 1e9}});
    }

    for (const Manipulation one : {manipulations::skewness(), manipulations::kurtosis()}) {
      const double expected = record_of(one, true, near)[0];
      ASSERT_NEAR(record_of(one, GetParam(), far)[0], expected, 1e-15 * std::abs(expected)) << one->name;
    }
  }
}

TEST_P(MomentsOverTime, around_a_mean_far_from_the_first_sample_keep_their_bits) {
  std::vector<Weighted> samples = {{0x1p-40, {0.1}}};
  std::mt19937_64 random(4);
  for (int i = 0; i < 40; ++i) samples.push_back({1, {1000 + static_cast<double>(random() % 7)}});

  for (const Manipulation one : {manipulations::skewness(), manipulations::kurtosis()}) {
    const double expected = record_of(one, true, samples)[0];
    EXPECT_NEAR(record_of(one, GetParam(), samples)[0], expected, 1e-13 * std::abs(expected)) << one->name;
  }
}

TEST(ExactMomentsOverTime, are_the_same_whatever_the_order_and_size_of_the_samples) {
  const std::vector<Weighted> samples = {
      {0.1, {0x1p52 + 1}}, {0.7, {0x1p-30}}, {1.3, {-0x1p52 - 1}}, {0.2, {1e200}}, {3, {-1e200}}};
  const std::vector<Weighted> reversed(samples.rbegin(), samples.rend());

  for (const Manipulation one :
       {manipulations::standard_deviation(), manipulations::skewness(), manipulations::kurtosis()}) {
    const Values record = record_of(one, true, samples);
    EXPECT_TRUE(std::isfinite(record[0])) << one->name;
    EXPECT_EQ(record, record_of(one, true, reversed)) << one->name;
  }
}

}  // namespace
}  // namespace pileus
