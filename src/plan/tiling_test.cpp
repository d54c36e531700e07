#include "plan/tiling.h"

#include <gtest/gtest.h>

#include <random>

namespace pileus::planning {
namespace {

std::vector<const Region*> pointers(const std::vector<Region>& regions) {
  std::vector<const Region*> out;
  for (const Region& region : regions) out.push_back(&region);
  return out;
}

TEST(Tiling, regions_side_by_side_fill_the_domain) {
  const std::vector<Region> regions = {{{0, 0}, {4, 3}}, {{0, 3}, {2, 3}}, {{2, 3}, {2, 3}}};

  EXPECT_FALSE(first_overlap(pointers(regions)));
  EXPECT_TRUE(gaps(pointers(regions), {4, 6}).empty());
}

TEST(Tiling, empty_regions_neither_overlap_nor_cover) {
  const std::vector<Region> regions = {{{0}, {4}}, {{2}, {0}}};

  EXPECT_FALSE(first_overlap(pointers(regions)));
  EXPECT_TRUE(gaps(pointers(regions), {4}).empty());
  EXPECT_EQ(gaps(pointers({regions[1]}), {4}), (std::vector<Region>{{{0}, {4}}}));
}

TEST(Tiling, the_first_overlapping_pair_is_found) {
  const std::vector<Region> regions = {{{0, 0}, {2, 6}}, {{2, 0}, {2, 4}}, {{3, 3}, {1, 3}}};

  EXPECT_EQ(first_overlap(pointers(regions)), (std::pair<std::size_t, std::size_t>{1, 2}));
}

TEST(Tiling, the_gap_that_begins_first_in_memory_is_found) {
  // Of 4 x 3 elements, (2..3, 1) and all of row 2 are missing.
  const std::vector<Region> regions = {{{0, 0}, {4, 1}}, {{0, 1}, {2, 1}}};

  EXPECT_EQ(gaps(pointers(regions), {4, 3}).at(0), (Region{{2, 1}, {2, 1}}));
}

TEST(Tiling, agrees_with_painting_every_element) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    std::mt19937 random(seed);
    std::vector<Region> regions(1 + random() % 5);
    int paint[6][6] = {};
    bool is_overlapping = false;
    for (Region& region : regions) {
      for (int d = 0; d < 2; ++d) {
        region.start.push_back(static_cast<Index>(random() % 6));
        region.count.push_back(static_cast<Index>(random() % static_cast<unsigned>(7 - region.start.back())));
      }
      for (Index y = 0; y < region.count[1]; ++y) {
        for (Index x = 0; x < region.count[0]; ++x) {
          is_overlapping |= paint[region.start[1] + y][region.start[0] + x]++ > 0;
        }
      }
    }

    ASSERT_EQ(first_overlap(pointers(regions)).has_value(), is_overlapping) << seed;
    if (is_overlapping) continue;
    for (const Region& gap : gaps(pointers(regions), {6, 6})) {
      for (Index y = 0; y < gap.count[1]; ++y) {
        for (Index x = 0; x < gap.count[0]; ++x) ++paint[gap.start[1] + y][gap.start[0] + x];
      }
    }
    for (int i = 0; i < 36; ++i) ASSERT_EQ(paint[i / 6][i % 6], 1) << seed;
  }
}

}  // namespace
}  // namespace pileus::planning
