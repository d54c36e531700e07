// Order, splits and paths must not change a single bit: seeded random arrays.

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "loops/testing/random_values.h"
#include "math/exact_sum.h"
#include "math/partial.h"

namespace pileus {
namespace {

using testing::below;
using testing::hard_size;
using testing::hard_values;
using testing::Random;

template <class T>
std::vector<std::byte> bytes_of(const T& value) {
  std::vector<std::byte> bytes;
  value.encode(bytes);
  return bytes;
}

std::vector<std::byte> bytes_one_by_one(std::span<const double> values) {
  ExactSum sum;
  for (const double value : values) sum.add(value);
  return bytes_of(sum);
}

/// Parts at random places, as ranks would hold them.
std::vector<std::span<const double>> split(Random& random, std::span<const double> values) {
  std::vector<std::span<const double>> parts;
  while (!values.empty()) {
    const std::size_t size = 1 + below(random, values.size());
    parts.push_back(values.first(size));
    values = values.subspan(size);
  }
  return parts;
}

/// Merges neighbours, strangers and trees of them until one is left.
template <class T>
T merged_in_random_order(Random& random, std::vector<T> parts) {
  while (parts.size() > 1) {
    std::swap(parts[below(random, parts.size())], parts.back());
    const T last = parts.back();
    parts.pop_back();
    parts[below(random, parts.size())].merge(last);
  }
  return parts.front();
}

TEST(ExactSumOrder, blocks_give_the_bytes_of_single_additions) {
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const std::vector<double> values = hard_values(random, hard_size(random));
    ExactSum sum;

    sum.add(values);

    ASSERT_EQ(bytes_of(sum), bytes_one_by_one(values)) << "array " << i;
  }
}

TEST(ExactSumOrder, blocks_of_floats_and_strides_give_the_bytes_of_single_additions) {
  Random random(2);
  for (int i = 0; i < 500; ++i) {
    const std::vector<double> wide = hard_values(random, hard_size(random));
    std::vector<float> floats;
    for (const double value : wide) floats.push_back(static_cast<float>(value));
    const std::vector<double> values(floats.begin(), floats.end());
    std::vector<double> spread(3 * values.size() + 1, 1e9);
    for (std::size_t k = 0; k < values.size(); ++k) spread[3 * k] = values[k];
    ExactSum of_floats;
    ExactSum of_strided;

    of_floats.add(std::span<const float>(floats));
    of_strided.add_strided(spread.data(), values.size(), 3);

    ASSERT_EQ(bytes_of(of_floats), bytes_one_by_one(values)) << "array " << i;
    ASSERT_EQ(bytes_of(of_strided), bytes_one_by_one(values)) << "array " << i;
  }
}

/// Everything goes to the limbs beside a value that two doubles do not hold.
ExactSum in_limbs(std::span<const double> values) {
  ExactSum sum;
  sum.add(0x1p1020);
  for (const double value : values) sum.add(value);
  sum.add(-0x1p1020);
  return sum;
}

TEST(ExactSumOrder, two_doubles_are_the_limbs_that_they_stand_for) {
  Random random(5);
  for (int i = 0; i < 3000; ++i) {
    std::vector<double> values = hard_values(random, below(random, 12));
    const bool are_cancelled = below(random, 3) == 0;
    for (std::size_t v = 0; are_cancelled && v < values.size() / 2; ++v)
      values[values.size() - 1 - v] = -values[v];
    const ExactSum limbs = in_limbs(values);
    ExactSum one_by_one;
    for (const double value : values) one_by_one.add(value);
    std::vector<ExactSum> parts(1);
    for (const auto part : split(random, values)) parts.emplace_back().add(part);

    for (const ExactSum& sum : {one_by_one, merged_in_random_order(random, parts)}) {
      ASSERT_EQ(bytes_of(sum), bytes_of(limbs)) << "array " << i;
      ASSERT_EQ(sum, limbs);
      ASSERT_EQ(sum.is_zero(), limbs.is_zero());
      ASSERT_EQ(std::signbit(sum.round()), std::signbit(limbs.round()));
      ASSERT_TRUE(sum.round() == limbs.round() || std::isnan(limbs.round()));
    }
    ExactSum twice = one_by_one, sum_of_two = one_by_one;
    twice.merge(twice);
    sum_of_two.merge(limbs);
    ASSERT_EQ(twice, sum_of_two);
  }
}

TEST(ExactSumOrder, splits_and_merges_give_the_same_bytes) {
  Random random(3);
  for (int i = 0; i < 300; ++i) {
    std::vector<double> values = hard_values(random, 1 + hard_size(random));
    const auto expected = bytes_one_by_one(values);

    std::shuffle(values.begin(), values.end(), random);
    std::vector<ExactSum> parts;
    for (const auto part : split(random, values)) parts.emplace_back().add(part);
    const ExactSum sum = merged_in_random_order(random, parts);

    ASSERT_EQ(bytes_of(sum), expected) << "array " << i;
  }
}

TEST(ExactSumOrder, partials_survive_splits_merges_and_bytes) {
  Random random(4);
  for (int i = 0; i < 400; ++i) {
    const auto reduction = static_cast<Reduction>(i % 4);
    std::vector<double> values = hard_values(random, 1 + hard_size(random));
    Partial whole(reduction);
    for (const double value : values) whole.add(value);
    whole.divide(3);

    std::shuffle(values.begin(), values.end(), random);
    std::vector<Partial> parts;
    for (const auto part : split(random, values)) {
      parts.emplace_back(reduction).add(part);
      parts.back().divide(3);
      const auto bytes = bytes_of(parts.back());
      std::span<const std::byte> in(bytes);
      parts.back() = Partial::decode(in);
    }
    const Partial merged = merged_in_random_order(random, parts);

    ASSERT_EQ(bytes_of(merged), bytes_of(whole)) << "array " << i;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(merged.value()), std::bit_cast<std::uint64_t>(whole.value()));
  }
}

}  // namespace
}  // namespace pileus
