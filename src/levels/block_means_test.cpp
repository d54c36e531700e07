#include "levels/block_means.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace pileus {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr float kFill = 9.9692099683868690e+36F;

std::vector<double> means(const std::vector<float>& values, const Extents& extents, const Extents& lengths) {
  return block_values<float>(values, extents, lengths, kFill);
}

TEST(BlockMeans, are_of_what_is_there_in_blocks_at_the_edge) {
  // 1 2 | 3
  // 4 5 | 6
  // -------
  // 7 8 | 9
  const std::vector<float> values = {1, 2, 3, 4, 5, 6, 7, 8, 9};

  const std::vector<double> made = means(values, {3, 3}, {2, 2});

  EXPECT_EQ(made, (std::vector<double>{3, 4.5, 7.5, 9}));
}

TEST(BlockMeans, leave_other_dimensions_as_they_are) {
  const std::vector<float> values = {1, 3, 5, 7, 10, 30, 50, 70};  // 4 along x, 2 levels

  EXPECT_EQ(means(values, {4, 2}, {2, 1}), (std::vector<double>{2, 6, 20, 60}));
  EXPECT_EQ(means(values, {4, 2}, {1, 2}), (std::vector<double>{5.5, 16.5, 27.5, 38.5}));
}

TEST(BlockMeans, leave_out_what_is_missing_and_what_is_no_number) {
  const std::vector<float> values = {kFill, 4, NAN, 8, kFill, NAN};

  const std::vector<double> made = means(values, {6}, {2});

  EXPECT_EQ(made[0], 4);
  EXPECT_EQ(made[1], 8);
  EXPECT_TRUE(std::isnan(made[2]));
}

TEST(BlockMeans, round_the_sum_once_whatever_the_order) {
  // 1e16 + 1 rounds to 1e16, so that a plain loop gives 0 or 0.25, and the sum is 2.
  const std::vector<double> one = {1e16, 1, 1, -1e16}, other = {1, 1e16, -1e16, 1};

  EXPECT_EQ(block_values<double>(one, {4}, {4}, 0), (std::vector<double>{0.5}));
  EXPECT_EQ(block_values<double>(other, {4}, {4}, 0), (std::vector<double>{0.5}));
}

TEST(BlockMeans, keep_infinities_and_have_no_mean_of_both) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<double> values = {1, kInfinity, kInfinity, -kInfinity};

  const std::vector<double> made = block_values<double>(values, {4}, {2}, 0);

  EXPECT_EQ(made[0], kInfinity);
  EXPECT_TRUE(std::isnan(made[1]));
}

TEST(BlockMeans, of_nothing_is_nothing_and_of_a_scalar_itself) {
  EXPECT_TRUE(block_values<double>({}, {0, 4}, {2, 2}, kNaN).empty());
  EXPECT_EQ(block_values<double>(std::vector<double>{7}, {}, {}, kNaN), (std::vector<double>{7}));
}

TEST(BlockMeans, of_longitudes_do_not_jump_where_they_begin_again) {
  const std::vector<double> values = {359, 1, 179, -179};

  EXPECT_EQ(block_values<double>(values, {4}, {2}, kNaN, BlockValue::longitude),
            (std::vector<double>{360, 180}));
}

TEST(BlockMeans, sum_areas) {
  const std::vector<double> values = {1, 2, 3};

  EXPECT_EQ(block_values<double>(values, {3}, {2}, kNaN, BlockValue::sum), (std::vector<double>{3, 3}));
}

TEST(BlockMeans, know_which_elements_a_box_of_blocks_has) {
  const Region blocks{{1, 0}, {2, 3}};

  EXPECT_EQ(region_of_blocks(blocks, {4, 1}), (Region{{4, 0}, {8, 3}}));
  EXPECT_EQ(blocks_of_region({{4, 0}, {8, 3}}, {4, 1}), blocks);
  EXPECT_EQ(blocks_of({9, 3}, {4, 1}), (Extents{3, 3}));
}

}  // namespace
}  // namespace pileus
