#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "formats/testing/fake_format.h"
#include "levels/block_means.h"
#include "publishing/chunks/pack_chunk.h"

namespace pileus::testing {
namespace {

constexpr double kFill = 9.9692099683868690e+36;

/// x + 100 y
Record part(const Region& region, bool has_value = true) {
  std::vector<double> values;
  for (Index y = region.start[1]; y < region.start[1] + region.count[1]; ++y)
    for (Index x = region.start[0]; x < region.start[0] + region.count[0]; ++x)
      values.push_back(static_cast<double>(x + 100 * y));
  Record record;
  record.region = region;
  if (has_value) record.value = make_array(std::move(values), region.count);
  return record;
}

template <class T>
std::vector<T> numbers_of(const PackedChunk& chunk) {
  std::vector<T> numbers(chunk.bytes.size() / sizeof(T));
  std::memcpy(numbers.data(), chunk.bytes.data(), chunk.bytes.size());
  return numbers;
}

class PackBlocks : public ::testing::Test {
 protected:
  template <class T = double>
  std::vector<T> packed(const std::vector<Record>& parts, const Region& region, const Extents& lengths,
                        const Extents& extents, const ValueLayout& layout = {}) {
    return numbers_of<T>(
        pack_blocks(format_, parts, layout, region, lengths, extents, {&codecs::plain(), 0}));
  }

  MemoryFiles disk_;
  FakeFormat format_{disk_};
};

TEST_F(PackBlocks, are_made_of_parts_whose_borders_cut_blocks) {
  // 5 along x, 3 along y; the border of the parts lies within the second block.
  const std::vector<Record> parts = {part({{0, 0}, {3, 3}}), part({{3, 0}, {2, 3}})};

  const std::vector<double> made = packed(parts, {{0, 0}, {6, 4}}, {2, 2}, {5, 3});

  // (0 + 1 + 100 + 101) / 4, (2 + 3 + 102 + 103) / 4, (4 + 104) / 2, then 200.5, 202.5, 204
  EXPECT_EQ(made, (std::vector<double>{50.5, 52.5, 54, 200.5, 202.5, 204}));
}

TEST_F(PackBlocks, a_chunk_in_the_middle_has_its_own_blocks_and_zeros_past_the_end) {
  const std::vector<Record> parts = {part({{0, 0}, {5, 6}})};

  // Rows 4 to 7, of which 6 and 7 are none.
  const std::vector<double> made = packed(parts, {{0, 4}, {6, 4}}, {2, 2}, {5, 6});

  EXPECT_EQ(made, (std::vector<double>{450.5, 452.5, 454, 0, 0, 0}));
}

TEST_F(PackBlocks, of_parts_without_a_value_are_made_of_the_others) {
  const std::vector<Record> parts = {part({{0, 0}, {1, 1}}, false), part({{1, 0}, {2, 1}}),
                                     part({{3, 0}, {3, 1}}, false)};

  EXPECT_EQ(packed(parts, {{0, 0}, {6, 1}}, {2, 1}, {6, 1}), (std::vector<double>{1, 2, kFill}));
}

TEST_F(PackBlocks, are_made_of_what_the_file_has_and_rounded_likewise) {
  ValueLayout layout{ElementType::float32};
  layout.step = 4;
  layout.fill_value = -1;
  // 100 to 105 are 100, 100, 104 (102 is as near to 100, which is even), 104, 104, 104.
  const std::vector<Record> parts = {part({{100, 0}, {6, 1}})};

  const std::vector<float> made = packed<float>(parts, {{100, 0}, {6, 1}}, {2, 1}, {106, 1}, layout);

  // Means 100, 102 or 104, and 104; 102 rounds to the even multiple.
  EXPECT_EQ(made[0], 100);
  EXPECT_EQ(std::fmod(made[1], 4), 0);
  EXPECT_EQ(made[2], 104);
}

TEST_F(PackBlocks, follow_the_order_of_the_file) {
  ValueLayout layout;
  layout.axes = {1, 0};  // y is the fastest in the file
  const std::vector<Record> parts = {part({{0, 0}, {4, 3}})};

  // Along y: 0 and 100, 200; then those of the next column.
  EXPECT_EQ(packed(parts, {{0, 0}, {4, 4}}, {2, 1}, {3, 4}, layout),
            (std::vector<double>{50, 200, 51, 201, 52, 202, 53, 203}));
}

TEST_F(PackBlocks, are_the_same_where_they_are_made_piece_by_piece) {
  const Extents extents = {1200, 901};  // 8.6 MB
  const Record whole = part({{0, 0}, extents});

  const std::vector<double> made = packed({whole}, {{0, 0}, {1200, 904}}, {8, 8}, extents);

  std::vector<double> expected = block_values<double>(whole.value->as<double>(), extents, {8, 8}, kFill);
  EXPECT_EQ(made, expected);
}

TEST_F(PackBlocks, of_a_scalar_there_are_none) { EXPECT_THROW(packed({}, {}, {}, {}), UsageError); }

}  // namespace
}  // namespace pileus::testing
