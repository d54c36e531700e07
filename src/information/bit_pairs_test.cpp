#include "information/bit_pairs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace pileus {
namespace {

constexpr double kMissingValue = 9.969209968386869e+36;

template <class Number>
BitPairs pairs_of(const std::vector<Number>& values, const std::vector<Index>& box,
                  const std::vector<Index>& extents, std::size_t along) {
  const ElementType type = sizeof(Number) == 4 ? ElementType::float32 : ElementType::float64;
  return count_pairs(std::as_bytes(std::span(values)), type, box, extents, along, kMissingValue);
}

TEST(BitPairs, counts_each_bit_of_neighbours_that_are_there) {
  // 1 is 0x3f800000 and -2 is 0xc0000000: they have bit 30 alone in common in neither; 3 is 0x40400000.
  const float nan = std::numeric_limits<float>::quiet_NaN(), missing = static_cast<float>(kMissingValue);
  const std::vector<float> values = {1, -2, 3, nan, 1, missing, 1, 1};

  const BitPairs pairs = pairs_of(values, {8}, {8}, 0);

  EXPECT_EQ(pairs.pairs, 3);  // 1 -2, -2 3, 1 1
  ASSERT_EQ(pairs.bits.size(), 32U);
  EXPECT_EQ(pairs.bits[31], (BitPairs::OfBit{0, 1, 1}));
  EXPECT_EQ(pairs.bits[30], (BitPairs::OfBit{1, 0, 1}));
  EXPECT_EQ(pairs.bits[29], (BitPairs::OfBit{1, 1, 0}));
  EXPECT_EQ(pairs.bits[22], (BitPairs::OfBit{0, 0, 1}));
  EXPECT_EQ(pairs.bits[0], BitPairs::OfBit());
}

TEST(BitPairs, of_pieces_across_the_other_dimensions_add_up_to_those_of_the_whole) {
  std::mt19937 random(1);
  std::vector<double> whole(7 * 60);
  for (double& x : whole) x = std::normal_distribution<double>(300, 1)(random);
  const BitPairs all = pairs_of(whole, {7, 60}, {7, 60}, 0);
  EXPECT_EQ(all.pairs, 6 * 60);

  BitPairs sum;
  for (Index row = 0; row < 60; row += 16) {
    std::vector<double> piece(7 * 16, 5.0);  // past the end lies what does not count
    const Index rows = std::min<Index>(16, 60 - row);
    std::copy_n(whole.begin() + row * 7, rows * 7, piece.begin());
    sum += pairs_of(piece, {7, 16}, {7, rows}, 0);
  }
  EXPECT_EQ(sum, all);
}

TEST(BitPairs, of_a_constant_and_of_noise_have_no_information) {
  EXPECT_EQ(kept_bits(pairs_of(std::vector<float>(1000, 3.14F), {1000}, {1000}, 0), 0.99), 0);
  EXPECT_EQ(kept_bits(BitPairs(), 0.99), 0);

  std::mt19937 random(3);
  std::vector<float> noise(20000);
  for (float& x : noise) x = 1 + std::generate_canonical<float, 24>(random);
  EXPECT_EQ(kept_bits(pairs_of(noise, {20000}, {20000}, 0), 0.99), 0);
}

TEST(BitPairs, of_a_wave_with_noise_keep_the_bits_above_the_noise) {
  std::mt19937 random(2);
  std::vector<float> values(50000);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = 1.5F + 0.4F * std::sin(static_cast<float>(i) * 0.001F) +
                1e-3F * std::generate_canonical<float, 24>(random);
  const BitPairs pairs = pairs_of(values, {50000}, {50000}, 0);

  const int kept = kept_bits(pairs, 0.99);

  EXPECT_GE(kept, 6);  // noise begins at 2^-10
  EXPECT_LE(kept, 10);
  EXPECT_LE(kept_bits(pairs, 0.5), kept);
  EXPECT_GE(kept_bits(pairs, 1), kept);
}

}  // namespace
}  // namespace pileus
