#include "core/rank_regions.h"

#include <gtest/gtest.h>

namespace pileus {
namespace {

TEST(RankRegions, come_back_as_they_were_put_in) {
  const std::vector<std::vector<Region>> regions = {{{{0, 3}, {4, 2}}, {}}, {{{4, 0}, {0, 7}}, {}}};

  const RankRegions held(regions);

  ASSERT_EQ(held.size(), 2U);
  for (std::size_t rank = 0; rank < 2; ++rank) {
    ASSERT_EQ(held[rank].size(), 2U);
    EXPECT_EQ(held[rank][0], regions[rank][0]);
    EXPECT_EQ(held[rank][1], Region());
  }
}

TEST(RankRegions, of_ranks_with_other_numbers_of_dimensions_lie_in_one_column) {
  const RankColumn column({{{}, {}}, {{5}, {0}}, {{1, 2, 3}, {4, 5, 6}}});

  EXPECT_EQ(column[0], Region());
  EXPECT_EQ(column[1], (Region{{5}, {0}}));
  EXPECT_EQ(column[2], (Region{{1, 2, 3}, {4, 5, 6}}));
}

TEST(RankRegions, one_that_is_set_changes_no_field_that_lay_alike) {
  RankRegions held(2);
  const auto column = std::make_shared<const RankColumn>(std::vector<Region>{{{0}, {4}}, {{4}, {4}}});
  held.add(column);
  held.add(column);

  held.set(1, 0, {{4, 0}, {3, 9}});

  EXPECT_EQ(held[1][0], (Region{{4, 0}, {3, 9}}));
  EXPECT_EQ(held[0][0], (Region{{0}, {4}}));
  EXPECT_EQ(held[1][1], (Region{{4}, {4}}));
}

}  // namespace
}  // namespace pileus
