#include "client/points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

#include "client/testing/fake_server.h"

namespace pileus {
namespace {

HeldPoints held(Index domain, const Extents& counts, const std::vector<Index>& indices) {
  return hold_points("pileus_points: points \"cells\"", domain, counts, indices.data());
}

std::string refusal(Index domain, const Extents& counts, const std::vector<Index>& indices) {
  return complaint([&] { held(domain, counts, indices); });
}

/// The local elements by rising index, whichever way they are kept.
std::vector<std::int32_t> order_of(const HeldPoints& points) {
  std::vector<std::int32_t> order = points.elements;
  for (const LocalRun& run : points.runs)
    for (std::int32_t i = 0; i < run.count; ++i) order.push_back(run.first + i);
  return order;
}

TEST(HeldPoints, has_runs_of_elements_that_follow_each_other_also_where_their_indices_do_not) {
  // Seven points of an ocean: land lies between 12 and 20, and one element is land itself.
  const HeldPoints ocean = held(100, {8}, {10, 11, 12, 20, 21, 22, 23, -1});

  EXPECT_EQ(ocean.runs, (std::vector<LocalRun>{{0, 7}}));
  EXPECT_TRUE(ocean.elements.empty());
  EXPECT_EQ(ocean.indices, (IndexRanges{{10, 3}, {20, 4}}));
  EXPECT_EQ(ocean.size, 7);
}

TEST(HeldPoints, has_runs_across_rows_unless_rows_are_short) {
  std::vector<Index> indices(20);
  std::iota(indices.begin(), indices.end(), 0);
  indices[19] = -1;

  EXPECT_EQ(held(20, {10, 2}, indices).runs, (std::vector<LocalRun>{{0, 19}}));
  EXPECT_EQ(held(20, {20}, indices).runs, (std::vector<LocalRun>{{0, 19}}));
  EXPECT_EQ(held(20, {4, 5}, indices).elements.size(), 19U);
}

TEST(HeldPoints, keeps_elements_one_by_one_where_few_follow_each_other) {
  const HeldPoints mesh = held(10, {6}, {7, 3, 9, -5, 0, 1});

  EXPECT_EQ(mesh.elements, (std::vector<std::int32_t>{4, 5, 1, 0, 2}));
  EXPECT_TRUE(mesh.runs.empty());
  EXPECT_EQ(mesh.indices, (IndexRanges{{0, 2}, {3, 1}, {7, 1}, {9, 1}}));
  EXPECT_EQ(mesh.counts, (Extents{6}));
}

TEST(HeldPoints, may_be_none) {
  for (const HeldPoints& none : {held(10, {0}, {}), held(10, {2}, {-1, -1}), held(0, {4, 0}, {})}) {
    EXPECT_EQ(none.size, 0);
    EXPECT_TRUE(order_of(none).empty());
    EXPECT_TRUE(none.indices.empty());
  }
}

TEST(HeldPoints, have_the_order_of_their_indices_whatever_that_of_memory) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 300; ++round) {
    const Index row = 1 + static_cast<Index>(random() % 40), rows = 1 + static_cast<Index>(random() % 9);
    const Index domain = row * rows + static_cast<Index>(random() % 100);
    std::vector<Index> all(static_cast<std::size_t>(domain));
    std::iota(all.begin(), all.end(), 0);
    if (round % 3 == 0) std::shuffle(all.begin(), all.end(), random);
    if (round % 3 == 1) std::rotate(all.begin(), all.begin() + domain / 3, all.end());
    std::vector<Index> indices(all.begin(), all.begin() + row * rows);
    for (Index& index : indices)
      if (random() % 10 == 0) index = -1 - static_cast<Index>(random() % 3);
    std::map<Index, std::int32_t> element_of;
    for (std::size_t i = 0; i < indices.size(); ++i)
      if (indices[i] >= 0) element_of[indices[i]] = static_cast<std::int32_t>(i);

    const HeldPoints points = held(domain, {row, rows}, indices);

    std::vector<std::int32_t> expected;
    IndexRanges ranges;
    for (const auto& [index, element] : element_of) expected.push_back(element), add_index(ranges, index);
    EXPECT_EQ(order_of(points), expected);
    EXPECT_EQ(points.indices, ranges);
  }
}

TEST(HeldPoints, name_the_element_whose_index_is_not_there) {
  EXPECT_EQ(refusal(10, {3}, {0, -1, 10}),
            "pileus_points: points \"cells\": element 2 has the index 10; there are 10 points, numbered from "
            "0");
  EXPECT_EQ(refusal(10, {2, 2}, {0, 1, 2, INT64_MAX}),
            "pileus_points: points \"cells\": element 3 (1, 1) has the index 9223372036854775807; there are "
            "10 points, numbered from 0");
  EXPECT_EQ(refusal(10, {3}, {9, INT64_MIN, 0}), "");
}

TEST(HeldPoints, name_both_elements_that_have_an_index) {
  EXPECT_EQ(refusal(10, {4}, {4, 5, 6, 5}),
            "pileus_points: points \"cells\": element 1 and element 3 of this rank both have the index 5; "
            "give one of them, and a negative index for the other, as for a halo");
  EXPECT_EQ(refusal(10, {2, 2}, {7, -1, 3, 7}),
            "pileus_points: points \"cells\": element 0 (0, 0) and element 3 (1, 1) of this rank both have "
            "the index 7; give one of them, and a negative index for the other, as for a halo");
}

}  // namespace
}  // namespace pileus
