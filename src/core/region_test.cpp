#include "core/region.h"

#include <gtest/gtest.h>

#include <random>

namespace pileus {
namespace {

/// Offset, local offset and length of each stretch, as a text that is easy to compare.
std::string text_of(const std::vector<Stretch>& stretches) {
  std::string out;
  for (const Stretch& stretch : stretches) {
    out += "(" + std::to_string(stretch.global_offset) + " " + std::to_string(stretch.local_offset) + " " +
           std::to_string(stretch.length) + ")";
  }
  return out;
}

/// Finds the stretches element by element, as the definition says, without any thought of speed.
std::vector<Stretch> stretches_by_elements(const Region& region, const std::vector<Index>& extents) {
  std::vector<Stretch> stretches;
  for (Index element = 0; element < region.size(); ++element) {
    Index rest = element, offset = 0, stride = 1;
    for (int d = 0; d < region.rank(); ++d) {
      offset += (region.start[d] + rest % region.count[d]) * stride;
      rest /= region.count[d];
      stride *= extents[d];
    }
    if (!stretches.empty() && stretches.back().global_offset + stretches.back().length == offset) {
      ++stretches.back().length;
    } else {
      stretches.push_back({offset, element, 1});
    }
  }
  return stretches;
}

TEST(Region, of_a_scalar_has_one_element_in_one_run) {
  const Region scalar;

  EXPECT_EQ(scalar.size(), 1);
  EXPECT_EQ(text_of(contiguous_stretches(scalar, {})), "(0 0 1)");
  EXPECT_EQ(text(scalar), "[]");
}

TEST(Region, that_is_empty_has_no_runs) {
  EXPECT_EQ(text_of(contiguous_stretches({{0}, {0}}, {5})), "");
  EXPECT_EQ(text_of(contiguous_stretches({{0, 2, 0}, {4, 0, 3}}, {4, 5, 3})), "");
  EXPECT_EQ(text_of(contiguous_stretches({{0}, {0}}, {0})), "");
}

TEST(Region, that_is_the_whole_array_is_one_run) {
  EXPECT_EQ(text_of(contiguous_stretches({{0, 0, 0}, {4, 5, 3}}, {4, 5, 3})), "(0 0 60)");
}

TEST(Region, of_whole_rows_is_one_run) {
  // Rows of 4: rows 2 and 3 of 5 are elements 8 to 15.
  EXPECT_EQ(text_of(contiguous_stretches({{0, 2}, {4, 2}}, {4, 5})), "(8 0 8)");
}

TEST(Region, of_parts_of_rows_is_a_run_for_each_row) {
  // Columns 1 and 2 of rows 2 and 3 of an array with rows of 4.
  EXPECT_EQ(text_of(contiguous_stretches({{1, 2}, {2, 2}}, {4, 5})), "(9 0 2)(13 2 2)");
}

TEST(Region, counts_beyond_what_32_bits_hold) {
  // Plane 3 of planes of 100000 x 100000, first two rows, 10 elements each.
  const Index n = 100000;
  EXPECT_EQ(text_of(contiguous_stretches({{5, 0, 3}, {10, 2, 1}}, {n, n, 4})),
            "(30000000005 0 10)(30000100005 10 10)");
}

TEST(Region, has_the_runs_that_its_elements_make) {
  std::mt19937 random(1);
  auto pick = [&](Index from, Index to) { return std::uniform_int_distribution<Index>(from, to)(random); };
  for (int trial = 0; trial < 4000; ++trial) {
    Region region;
    std::vector<Index> extents;
    for (Index d = pick(1, 4); d > 0; --d) {
      extents.push_back(pick(1, 5));
      // Every second dimension is whole, for stretches of several dimensions.
      region.start.push_back(pick(0, 1) == 0 ? 0 : pick(0, extents.back()));
      region.count.push_back(pick(0, 1) == 0 ? extents.back() - region.start.back()
                                             : pick(0, extents.back() - region.start.back()));
    }

    const auto stretches = contiguous_stretches(region, extents);

    ASSERT_EQ(text_of(stretches), text_of(stretches_by_elements(region, extents))) << text(region);
  }
}

TEST(Region, prints_first_and_past_the_end) { EXPECT_EQ(text(Region{{0, 12}, {64, 8}}), "[0:64, 12:20]"); }

}  // namespace
}  // namespace pileus
