#include "client/local_sum.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "core/error.h"
#include "math/exact_sum.h"

namespace pileus {
namespace {

using Values = std::vector<double>;

template <class T>
StridedArray array_of(ElementType type, const std::vector<T>& values, std::span<const Index> counts,
                      std::span<const Index> byte_strides = {}) {
  return {reinterpret_cast<const std::byte*>(values.data()), type, counts, byte_strides};
}

template <std::size_t kRank>
Values summed(const StridedArray& array, const std::array<bool, kRank>& is_kept, Index parts) {
  Index size = parts;
  for (std::size_t d = 0; d < kRank; ++d) size *= is_kept[d] ? array.counts[d] : 1;
  Values out(static_cast<std::size_t>(size), -1);
  local_sum(array, is_kept, parts, out);
  return out;
}

TEST(LocalSum, of_a_whole_array_keeps_what_one_double_loses) {
  const Values values{1e16, 1, 1e-20, -1};
  const Index count[] = {4};

  // 1e16 + 1e-20: the double nearest to it is 1e16, and what is left is the double 1e-20 itself.
  EXPECT_EQ(summed<1>(array_of(ElementType::float64, values, count), {false}, 3), (Values{1e16, 1e-20, 0}));
}

TEST(LocalSum, keeps_the_dimensions_that_it_is_told) {
  const Values values{1, 2, 3, 4, 5, 6};  // rows (1 2 3) and (4 5 6)
  const Index counts[] = {3, 2};
  const StridedArray array = array_of(ElementType::float64, values, counts);

  EXPECT_EQ(summed<2>(array, {false, false}, 1), Values{21});
  EXPECT_EQ(summed<2>(array, {true, false}, 1), (Values{5, 7, 9}));
  EXPECT_EQ(summed<2>(array, {false, true}, 2), (Values{6, 0, 15, 0}));
  EXPECT_EQ(summed<2>(array, {true, true}, 1), values);
}

TEST(LocalSum, takes_any_strides) {
  // The inner 2 × 2 of a 4 × 3 array, upside down.
  const Values values{0, 0, 0, 0, 0, 1, 2, 0, 0, 3, 4, 0};
  const Index counts[] = {2, 2}, strides[] = {8, -32};
  const StridedArray array{reinterpret_cast<const std::byte*>(&values[9]), ElementType::float64, counts,
                           strides};

  EXPECT_EQ(summed<2>(array, {true, false}, 1), (Values{4, 6}));
  EXPECT_EQ(summed<2>(array, {false, true}, 1), (Values{7, 3}));
}

TEST(LocalSum, takes_values_at_any_address) {
  std::vector<std::byte> bytes(4 * 12 + 1);
  const Index counts[] = {4}, strides[] = {12};
  for (std::size_t i = 0; i < 4; ++i) {
    const double value = std::ldexp(1.0, 60 - 60 * static_cast<int>(i));
    std::memcpy(&bytes[12 * i + 1], &value, sizeof value);
  }

  EXPECT_EQ(summed<1>({bytes.data() + 1, ElementType::float64, counts, strides}, {false}, 4),
            (Values{0x1p60, 1, 0x1p-60, 0x1p-120}));
}

TEST(LocalSum, of_other_types_is_that_of_their_values) {
  const Index counts[] = {3};
  const std::int64_t large = (std::int64_t{1} << 62) + 1;

  EXPECT_EQ(summed<1>(array_of<float>(ElementType::float32, {0.5F, 1, 0x1p-100F}, counts), {false}, 2),
            (Values{1.5, 0x1p-100}));
  EXPECT_EQ(summed<1>(array_of<std::int32_t>(ElementType::int32, {-5, 2, 1}, counts), {false}, 1),
            Values{-2});
  EXPECT_EQ(summed<1>(array_of<std::int64_t>(ElementType::int64, {large, large, 1}, counts), {false}, 2),
            (Values{0x1p63, 3}));
  EXPECT_EQ(summed<1>(array_of<std::uint8_t>(ElementType::boolean, {1, 255, 0}, counts), {false}, 1),
            Values{2});
}

TEST(LocalSum, of_nothing_is_zero_and_of_infinities_what_they_are) {
  const Index none[] = {0}, two[] = {2};
  const double infinity = std::numeric_limits<double>::infinity();
  const double largest = std::numeric_limits<double>::max();

  EXPECT_EQ(summed<1>(array_of<double>(ElementType::float64, {}, none), {false}, 2), (Values{0, 0}));
  EXPECT_EQ(summed<1>(array_of<double>(ElementType::float64, {infinity, 1}, two), {false}, 2),
            (Values{infinity, 0}));
  EXPECT_EQ(summed<1>(array_of<double>(ElementType::float64, {largest, largest}, two), {false}, 2),
            (Values{infinity, 0}));
  EXPECT_TRUE(std::isnan(
      summed<1>(array_of<double>(ElementType::float64, {infinity, -infinity}, two), {false}, 1)[0]));
}

TEST(LocalSum, says_how_many_parts_it_needs) {
  const Index counts[] = {3};
  Values out(2);
  try {
    local_sum(array_of<double>(ElementType::float64, {1, 0x1p-100, 0x1p-200}, counts), std::array{false}, 2,
              out);
    FAIL() << "two parts were enough";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("needs 3 parts"), std::string::npos) << error.what();
  }
}

TEST(LocalSum, parts_of_any_values_are_never_more_than_the_most_and_exact) {
  std::mt19937_64 random(3);
  for (int turn = 0; turn < 200; ++turn) {
    std::vector<double> values;
    for (int i = 0; i < 300; ++i) {
      const auto value = std::bit_cast<double>(random() & ~(std::uint64_t{1} << 62));  // below 2
      if (std::isfinite(value)) values.push_back(value);
    }
    const Index counts[] = {static_cast<Index>(values.size())};
    ExactSum expected, sum;
    expected.add(std::span<const double>(values));

    sum.add(std::span<const double>(
        summed<1>(array_of(ElementType::float64, values, counts), {false}, kMostSumParts)));

    ASSERT_EQ(sum, expected) << turn;
  }
}

}  // namespace
}  // namespace pileus
