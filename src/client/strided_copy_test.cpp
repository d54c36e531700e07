#include "client/strided_copy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>

namespace pileus {
namespace {

/// Copies in the obvious way: one element at a time, by its indices.
template <class From, class To>
std::vector<To> naive(const std::byte* first, const std::vector<Index>& counts,
                      const std::vector<Index>& strides) {
  std::vector<To> out;
  Index total = 1;
  for (const Index count : counts) total *= count;
  for (Index i = 0; i < total; ++i) {
    Index left = i, offset = 0;
    for (std::size_t d = 0; d < counts.size(); ++d) {
      offset += left % counts[d] * strides[d];
      left /= counts[d];
    }
    From value;
    std::memcpy(&value, first + offset, sizeof value);
    out.push_back(static_cast<To>(value));
  }
  return out;
}

template <class T>
constexpr ElementType kTypeOf = std::is_same_v<T, double>         ? ElementType::float64
                                : std::is_same_v<T, float>        ? ElementType::float32
                                : std::is_same_v<T, std::int32_t> ? ElementType::int32
                                                                  : ElementType::int64;

template <class From, class To>
void expect_equal_to_naive(const std::byte* first, const std::vector<Index>& counts,
                           const std::vector<Index>& strides) {
  const std::vector<To> expected = naive<From, To>(first, counts, strides);
  std::vector<To> result(expected.size());

  copy_strided({first, kTypeOf<From>, counts, strides}, kTypeOf<To>,
               reinterpret_cast<std::byte*>(result.data()));

  ASSERT_EQ(std::memcmp(result.data(), expected.data(), expected.size() * sizeof(To)), 0);
}

/// Copies sections of a random array, as Fortran cuts them: every dimension is padded, stepped and perhaps
/// reversed.
template <class From, class To>
void try_random_sections(std::mt19937& random) {
  auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  std::vector<std::byte> memory(1 << 20);
  auto* values = reinterpret_cast<From*>(memory.data());
  for (std::size_t i = 0; i < memory.size() / sizeof(From); ++i)
    values[i] = static_cast<From>(i * 7 % 100'003 - 5e4);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<Index> counts, strides;
    Index extent = sizeof(From), first = 0;
    for (int d = 0, rank = pick(0, 6); d < rank; ++d) {
      const Index count = pick(0, 9) == 0 ? pick(15, 40) : pick(1, 5), step = pick(1, 2),
                  padding = pick(0, 1) * pick(0, 2);
      const bool is_reversed = pick(0, 3) == 0;
      counts.push_back(count);
      strides.push_back(is_reversed ? -extent * step : extent * step);
      if (is_reversed) first += extent * step * (count - 1);
      extent *= count * step + padding;
    }
    std::vector<std::size_t> order(counts.size());  // the array's own order of the dimensions
    std::iota(order.begin(), order.end(), 0);
    if (pick(0, 1) == 1) std::shuffle(order.begin(), order.end(), random);
    std::vector<Index> ordered_counts, ordered_strides;
    for (const std::size_t d : order)
      ordered_counts.push_back(counts[d]), ordered_strides.push_back(strides[d]);
    if (static_cast<std::size_t>(extent) > memory.size()) continue;
    expect_equal_to_naive<From, To>(memory.data() + first, ordered_counts, ordered_strides);
  }
}

TEST(StridedCopy, equals_the_naive_loop_for_sections_of_ranks_0_to_6_and_all_conversions) {
  std::mt19937 random(1);
  try_random_sections<double, double>(random);
  try_random_sections<double, float>(random);
  try_random_sections<float, float>(random);
  try_random_sections<float, double>(random);
  try_random_sections<std::int32_t, double>(random);
  try_random_sections<std::int32_t, float>(random);
  try_random_sections<std::int32_t, std::int32_t>(random);
  try_random_sections<std::int32_t, std::int64_t>(random);
  try_random_sections<std::int64_t, double>(random);
  try_random_sections<std::int64_t, float>(random);
  try_random_sections<std::int64_t, std::int64_t>(random);
}

TEST(StridedCopy, takes_a_transposed_array) {
  const double rows[2][3] = {{1, 2, 3}, {4, 5, 6}};  // C order: the last index is fastest
  const std::vector<Index> counts = {2, 3}, strides = {24, 8};
  double out[6] = {};

  copy_strided({reinterpret_cast<const std::byte*>(rows), ElementType::float64, counts, strides},
               ElementType::float64, reinterpret_cast<std::byte*>(out));

  const double expected[6] = {1, 4, 2, 5, 3, 6};
  EXPECT_EQ(std::memcmp(out, expected, sizeof out), 0);
}

TEST(StridedCopy, repeats_a_value_whose_stride_is_0) {
  const double value = 3.5;
  const std::vector<Index> counts = {2, 2}, strides = {0, 0};
  double out[4] = {};

  copy_strided({reinterpret_cast<const std::byte*>(&value), ElementType::float64, counts, strides},
               ElementType::float64, reinterpret_cast<std::byte*>(out));

  for (const double copy : out) EXPECT_EQ(copy, 3.5);
}

TEST(StridedCopy, touches_nothing_when_a_count_is_0) {
  const std::vector<Index> counts = {3, 0, 2};
  std::byte out{7};

  copy_strided({nullptr, ElementType::float64, counts, {}}, ElementType::float32, &out);

  EXPECT_EQ(out, std::byte{7});
}

TEST(StridedCopy, reads_an_array_that_is_not_aligned) {
  std::byte memory[33] = {};
  const double values[4] = {1, -2, 3, -4};
  std::memcpy(memory + 1, values, sizeof values);
  const std::vector<Index> counts = {4};
  float out[4] = {};

  copy_strided({memory + 1, ElementType::float64, counts, {}}, ElementType::float32,
               reinterpret_cast<std::byte*>(out));

  EXPECT_EQ(out[0], 1.0F);
  EXPECT_EQ(out[3], -4.0F);
}

TEST(StridedCopy, rounds_to_nearest_and_keeps_what_is_not_a_number) {
  // 1 + 2^-24 is halfway between 1 and 1 + 2^-23, and goes to the even one, 1. 1e-45 rounds to the smallest
  // subnormal.
  const double values[] = {1 + 0x1p-24, 1 + 0x1.8p-23, 1e300, -1e300, std::nan(""), -0.0, 1e-45};
  const std::vector<Index> counts = {7};
  float out[7] = {};

  copy_strided({reinterpret_cast<const std::byte*>(values), ElementType::float64, counts, {}},
               ElementType::float32, reinterpret_cast<std::byte*>(out));

  EXPECT_EQ(out[0], 1.0F);
  EXPECT_EQ(out[1], 1.0F + 0x1p-22F);
  EXPECT_EQ(out[2], std::numeric_limits<float>::infinity());
  EXPECT_EQ(out[3], -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(out[4]));
  EXPECT_TRUE(out[5] == 0 && std::signbit(out[5]));
  EXPECT_EQ(out[6], std::numeric_limits<float>::denorm_min());
}

TEST(StridedCopy, rounds_to_nearest_whatever_the_model_has_set_and_leaves_that_as_it_was) {
  const double values[] = {1 + 0x1p-30, -1 - 0x1p-30};
  const std::vector<Index> counts = {2};
  float out[2] = {};
  std::fesetround(FE_UPWARD);

  copy_strided({reinterpret_cast<const std::byte*>(values), ElementType::float64, counts, {}},
               ElementType::float32, reinterpret_cast<std::byte*>(out));

  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(out[0], 1.0F);
  EXPECT_EQ(out[1], -1.0F);
}

TEST(StridedCopy, makes_every_byte_but_0_true_and_takes_the_lowest_byte_of_wider_ones) {
  const std::int32_t logicals[] = {1, 0, -1, 1};  // as Fortran compilers have them
  const std::vector<Index> counts = {4}, strides = {4};
  std::uint8_t out[4] = {};
  double numbers[4] = {};
  const StridedArray truths{reinterpret_cast<const std::byte*>(logicals), ElementType::boolean, counts,
                            strides};

  copy_strided(truths, ElementType::boolean, reinterpret_cast<std::byte*>(out));
  copy_strided(truths, ElementType::float64, reinterpret_cast<std::byte*>(numbers));

  EXPECT_EQ(std::vector<std::uint8_t>(out, out + 4), (std::vector<std::uint8_t>{1, 0, 1, 1}));
  EXPECT_EQ(std::vector<double>(numbers, numbers + 4), (std::vector<double>{1, 0, 1, 1}));
}

TEST(StridedCopy, converts_only_where_nothing_but_digits_is_lost) {
  EXPECT_TRUE(can_convert(ElementType::int64, ElementType::float32));
  EXPECT_TRUE(can_convert(ElementType::int32, ElementType::int64));
  EXPECT_FALSE(can_convert(ElementType::float64, ElementType::int64));
  EXPECT_FALSE(can_convert(ElementType::float32, ElementType::int32));
  EXPECT_FALSE(can_convert(ElementType::int64, ElementType::int32));
  EXPECT_TRUE(can_convert(ElementType::boolean, ElementType::float64));
  EXPECT_FALSE(can_convert(ElementType::float64, ElementType::boolean));
  EXPECT_TRUE(can_convert(ElementType::character, ElementType::character));
  EXPECT_FALSE(can_convert(ElementType::character, ElementType::float64));
}

}  // namespace
}  // namespace pileus
