#include "core/index_set.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <set>

#include "core/region.h"

namespace pileus {
namespace {

std::set<Index> elements_of(const IndexSet& indices) {
  std::set<Index> elements;
  for (const IndexSet::Range& range : indices.runs())
    for (Index i = 0; i < range.count; ++i) elements.insert(range.first + i);
  return elements;
}

TEST(IndexSet, answers_as_a_set_of_its_elements_does) {
  std::mt19937_64 random(3);
  for (int run = 0; run < 2000; ++run) {
    const auto some = [&] { return IndexSet(Index(random() % 9), Index(random() % 5)); };
    const IndexSet a = some(), b = some();
    const std::set<Index> of_a = elements_of(a), of_b = elements_of(b);
    std::set<Index> in_both;
    for (const Index i : of_a)
      if (of_b.contains(i)) in_both.insert(i);

    EXPECT_EQ(elements_of(common(a, b)), in_both);
    EXPECT_EQ(common(a, b).is_empty(), in_both.empty());
    EXPECT_EQ(a.size(), std::ssize(of_a));
    EXPECT_EQ(a.is_empty(), of_a.empty());
    for (Index i = -1; i < 15; ++i) EXPECT_EQ(a.contains(i), of_a.contains(i)) << i;
    if (of_a.empty()) continue;
    EXPECT_EQ(a.first(), *of_a.begin());
    EXPECT_EQ(a.last(), *of_a.rbegin());
    for (Index size = 0; size < 15; ++size) EXPECT_EQ(a.is_within(size), a.last() < size) << size;
  }
}

TEST(IndexSet, that_counts_beyond_all_numbers_or_from_below_0_is_within_nothing) {
  constexpr Index kMost = std::numeric_limits<Index>::max();

  EXPECT_FALSE(IndexSet(2, kMost).is_within(kMost));
  EXPECT_FALSE(IndexSet(kMost, 2).is_within(kMost));
  EXPECT_FALSE(IndexSet(-1, 1).is_within(5));
  EXPECT_FALSE(IndexSet(1, -1).is_within(5));
  EXPECT_TRUE(IndexSet(5, 0).is_within(5));
  EXPECT_FALSE(IndexSet(6, 0).is_within(5));
}

TEST(IndexSet, is_what_a_region_holds_along_a_dimension) {
  Region region;
  region.add(IndexSet(2, 3));
  region.add(IndexSet(0, 4));

  EXPECT_EQ(region, (Region{{2, 0}, {3, 4}}));
  EXPECT_EQ(region.along(0), IndexSet(2, 3));
  EXPECT_EQ(region.along(1), IndexSet(0, 4));
}

}  // namespace
}  // namespace pileus
