#include "math/exact_sum.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace pileus {
namespace {

using Limits = std::numeric_limits<double>;
constexpr double kInfinity = Limits::infinity();

ExactSum sum_of(const std::vector<double>& values) {
  ExactSum sum;
  sum.add(values);
  return sum;
}

std::vector<std::byte> bytes_of(const ExactSum& sum) {
  std::vector<std::byte> bytes;
  sum.encode(bytes);
  return bytes;
}

ExactSum decoded(const std::vector<int>& bytes) {
  std::vector<std::byte> in;
  for (const int byte : bytes) in.push_back(static_cast<std::byte>(byte));
  std::span<const std::byte> rest(in);
  return ExactSum::decode(rest);
}

TEST(ExactSum, of_nothing_is_plus_zero) {
  const ExactSum sum;

  EXPECT_TRUE(sum.is_zero());
  EXPECT_EQ(sum.round(), 0.0);
  EXPECT_FALSE(std::signbit(sum.round()));
}

TEST(ExactSum, of_minus_zeros_is_plus_zero) {
  const ExactSum sum = sum_of({-0.0, -0.0});

  EXPECT_TRUE(sum.is_zero());
  EXPECT_FALSE(std::signbit(sum.round()));
}

TEST(ExactSum, keeps_what_doubles_lose) {
  // Added as doubles, 1 vanishes beside 1e300 and the result is 0.
  EXPECT_EQ(sum_of({1e300, 1, -1e300}).round(), 1);
  EXPECT_EQ(sum_of({Limits::max(), Limits::denorm_min(), -Limits::max()}).round(), Limits::denorm_min());
}

TEST(ExactSum, breaks_ties_to_even) {
  // Between 1 and 1 + 2^-52 lies 1 + 2^-53: even is 1. Between 1 + 2^-52 and 1 + 2^-51: even is 1 + 2^-51.
  EXPECT_EQ(sum_of({1, 0x1p-53}).round(), 1);
  EXPECT_EQ(sum_of({1 + 0x1p-52, 0x1p-53}).round(), 1 + 0x1p-51);
  EXPECT_EQ(sum_of({-1, -0x1p-53}).round(), -1);
}

TEST(ExactSum, sees_the_smallest_double_beside_a_tie) {
  EXPECT_EQ(sum_of({1, 0x1p-53, Limits::denorm_min()}).round(), 1 + 0x1p-52);
  EXPECT_EQ(sum_of({1, 0x1p-53, -Limits::denorm_min()}).round(), 1);
  EXPECT_EQ(sum_of({1 + 0x1p-52, 0x1p-53, -Limits::denorm_min()}).round(), 1 + 0x1p-52);
}

TEST(ExactSum, is_exact_among_subnormals) {
  // 2^-1022 less the smallest subnormal is the largest subnormal; and the way back.
  EXPECT_EQ(sum_of({0x1p-1022, -0x1p-1074}).round(), 0x0.fffffffffffffp-1022);
  EXPECT_EQ(sum_of({0x0.fffffffffffffp-1022, 0x1p-1074}).round(), 0x1p-1022);
}

TEST(ExactSum, overflows_only_when_the_total_does) {
  const double largest = Limits::max();
  const double half_unit = 0x1p970;  // half a unit in the last place of the largest double

  EXPECT_EQ(sum_of({largest, largest, -largest}).round(), largest);
  EXPECT_EQ(sum_of({largest, 0x1.fffffffffffffp969}).round(), largest);  // just below the tie
  EXPECT_EQ(sum_of({largest, half_unit}).round(), kInfinity);            // the tie goes to "even", 2^1024
  EXPECT_EQ(sum_of({-largest, -half_unit}).round(), -kInfinity);
  EXPECT_TRUE(sum_of({largest, largest}).is_finite());
}

TEST(ExactSum, holds_very_many_of_the_largest_double) {
  // Doubled by merging 60 times: 2^60 addends. What remains after taking as many away is 1.
  ExactSum many = sum_of({Limits::max()});
  ExactSum as_many = sum_of({-Limits::max()});
  for (int i = 0; i < 60; ++i) {
    many.merge(ExactSum(many));
    as_many.merge(ExactSum(as_many));
  }
  many.add(1);

  EXPECT_EQ(many.round(), kInfinity);
  many.merge(as_many);
  EXPECT_EQ(many.round(), 1);
}

TEST(ExactSum, follows_ieee_for_nan_and_infinities) {
  const double nan = Limits::quiet_NaN();

  EXPECT_EQ(sum_of({1, kInfinity, -5}).round(), kInfinity);
  EXPECT_EQ(sum_of({-kInfinity, Limits::max()}).round(), -kInfinity);
  EXPECT_TRUE(std::isnan(sum_of({kInfinity, -kInfinity}).round()));
  EXPECT_TRUE(std::isnan(sum_of({nan, kInfinity}).round()));
  EXPECT_FALSE(sum_of({nan, -nan}).is_finite());
  EXPECT_FALSE(sum_of({kInfinity, -kInfinity}).is_zero());
}

TEST(ExactSum, finds_one_nan_anywhere_in_a_block) {
  for (const double fill : {0.0, 1.0, 1e300, 1e-310}) {
    for (const std::size_t place : {0U, 1U, 8U, 1000U, 2047U, 2048U, 2052U}) {
      std::vector<double> values(2053, fill);
      values[place] = Limits::quiet_NaN();

      EXPECT_TRUE(std::isnan(sum_of(values).round())) << fill << " at " << place;
    }
  }
}

TEST(ExactSum, of_many_equal_values_in_blocks_is_their_product) {
  // 5000 · 2^e is exact for every e; with the least bit of 1 + 2^-52 too: 5000 + 5000 · 2^-52 fits in 65
  // bits, so that the difference to 5000 is exact again.
  for (const int exponent :
       {-1074, -1022, -990, -901, -900, -899, -500, 0, 500, 998, 999, 1000, 1001, 1010}) {
    const double power = std::ldexp(1.0, exponent);
    EXPECT_EQ(sum_of(std::vector<double>(5000, power)).round(), 5000 * power) << exponent;
  }
  ExactSum sum = sum_of(std::vector<double>(5000, 1 + 0x1p-52));
  sum.add(-5000);
  EXPECT_EQ(sum.round(), 5000 * 0x1p-52);
}

TEST(ExactSum, of_blocks_with_more_scales_than_the_kernel_follows_is_exact) {
  // 2^900, 2^800, … 2^-900, each 110 times and one of each sign but for the last: only 110 · 2^-900 remains.
  std::vector<double> values;
  for (int i = 0; i < 110; ++i) {
    for (int exponent = 900; exponent > -900; exponent -= 100) {
      values.push_back(std::ldexp(i % 2 == 0 ? 1.0 : -1.0, exponent));
    }
    values.push_back(0x1p-900);
  }

  EXPECT_EQ(sum_of(values).round(), 110 * 0x1p-900);
}

TEST(ExactSum, of_floats_is_that_of_the_same_doubles) {
  std::vector<float> floats(3000, 0.1F);
  floats[7] = std::numeric_limits<float>::denorm_min();
  floats[2500] = -std::numeric_limits<float>::max();
  const std::vector<double> doubles(floats.begin(), floats.end());
  ExactSum sum;

  sum.add(std::span<const float>(floats));

  EXPECT_EQ(sum, sum_of(doubles));
}

TEST(ExactSum, takes_every_stride) {
  // 0, 1, … 8999: every third from 0 is 3 · (0 + … + 2999); backwards from 8999 the same with 2 more each.
  std::vector<double> values(9000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  ExactSum forwards;
  ExactSum backwards;
  ExactSum repeated;

  forwards.add_strided(values.data(), 3000, 3);
  backwards.add_strided(values.data() + 8999, 3000, -3);
  repeated.add_strided(values.data() + 7, 100, 0);

  EXPECT_EQ(forwards.round(), 3.0 * 2999 * 3000 / 2);
  EXPECT_EQ(backwards.round(), 3.0 * 2999 * 3000 / 2 + 2 * 3000);
  EXPECT_EQ(repeated.round(), 700);
}

TEST(ExactSum, encodes_only_the_limbs_in_use) {
  // 1 = bit 1088 above 2^-1088, the lowest bit of limb 34.
  EXPECT_EQ(bytes_of(sum_of({1})), bytes_of(decoded({0, 34, 1, 1, 0, 0, 0})));
  EXPECT_EQ(bytes_of(sum_of({1})).size(), 7U);
  EXPECT_EQ(bytes_of(ExactSum()).size(), 3U);
}

TEST(ExactSum, encodes_the_same_bytes_whatever_was_cancelled) {
  const ExactSum direct = sum_of({-3});
  const ExactSum detour = sum_of({1e200, 1e-200, -3, -1e200, -1e-200});

  EXPECT_EQ(bytes_of(detour), bytes_of(direct));
  EXPECT_EQ(detour, direct);
}

TEST(ExactSum, comes_back_from_its_bytes_and_leaves_the_rest) {
  const ExactSum sum = sum_of({-1e300, 1e-320, kInfinity, kInfinity, Limits::quiet_NaN()});
  std::vector<std::byte> bytes = bytes_of(sum);
  bytes.push_back(std::byte{42});
  std::span<const std::byte> rest(bytes);

  const ExactSum back = ExactSum::decode(rest);

  EXPECT_EQ(back, sum);
  EXPECT_EQ(rest.size(), 1U);
}

TEST(ExactSum, refuses_bytes_that_it_never_writes) {
  EXPECT_THROW(decoded({}), std::invalid_argument);
  EXPECT_THROW(decoded({0, 34}), std::invalid_argument);
  EXPECT_THROW(decoded({0, 34, 1, 1, 0, 0}), std::invalid_argument) << "too short";
  EXPECT_THROW(decoded({4, 34, 1, 1, 0, 0, 0}), std::invalid_argument) << "unknown flag";
  EXPECT_THROW(decoded({1, 0, 0}), std::invalid_argument) << "minus zero";
  EXPECT_THROW(decoded({0, 3, 0}), std::invalid_argument) << "zero with a place";
  EXPECT_THROW(decoded({0, 34, 1, 0, 0, 0, 0}), std::invalid_argument) << "zero limb at the end";
  EXPECT_THROW(decoded({0, 68, 1, 1, 0, 0, 0}), std::invalid_argument) << "beyond the range";
  std::vector<int> no_count(27, 0);
  no_count[0] = 2;
  EXPECT_THROW(decoded(no_count), std::invalid_argument) << "flag of counters, none counted";
}

}  // namespace
}  // namespace pileus
