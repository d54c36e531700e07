#include "levels/coarse_bytes.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

namespace pileus {
namespace {

constexpr double kFill = -1;

std::shared_ptr<const ByteSource> in_memory(const std::vector<float>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return std::make_shared<const BytesInMemory>(std::vector<std::byte>(bytes.begin(), bytes.end()));
}

std::vector<float> read(const ByteSource& source, std::uint64_t first, std::size_t count) {
  std::vector<float> values(count);
  source.read(first * sizeof(float), std::as_writable_bytes(std::span(values)));
  return values;
}

TEST(CoarseBytes, are_the_blocks_from_any_place_on) {
  std::vector<float> values(15);  // 5 along x, 3 along y: 0 to 14
  std::iota(values.begin(), values.end(), 0.0F);
  const auto coarse =
      coarse_bytes(in_memory(values), ElementType::float32, {5, 3}, {2, 2}, BlockValue::mean, kFill);

  EXPECT_EQ(coarse->size_bytes(), 6 * sizeof(float));
  // 0 1 5 6 | 2 3 7 8 | 4 9, and 10 11 | 12 13 | 14 below
  EXPECT_EQ(read(*coarse, 0, 6), (std::vector<float>{3, 5, 6.5, 10.5, 12.5, 14}));
  EXPECT_EQ(read(*coarse, 2, 3), (std::vector<float>{6.5, 10.5, 12.5}));
}

TEST(CoarseBytes, have_the_fill_value_where_a_block_has_no_number) {
  const auto coarse =
      coarse_bytes(in_memory({-1, -1, 3, -1}), ElementType::float32, {4}, {2}, BlockValue::mean, kFill);

  EXPECT_EQ(read(*coarse, 0, 2), (std::vector<float>{-1, 3}));
}

TEST(CoarseBytes, are_the_array_itself_where_nothing_is_together) {
  const auto fine = in_memory({1, 2});

  EXPECT_EQ(coarse_bytes(fine, ElementType::int32, {2}, {1}, BlockValue::mean, kFill), fine);
}

}  // namespace
}  // namespace pileus
