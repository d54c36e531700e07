#include "regrid/halo_runs.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "exec/seeded_random.h"

namespace pileus {
namespace {

/// Of each element of `box` its number, by its position; position d is within [start, start + count).
std::map<std::vector<Index>, Index> numbers_of(const Region& box) {
  std::map<std::vector<Index>, Index> numbers;
  for (Index element = 0; element < box.size(); ++element) {
    std::vector<Index> at;
    Index rest = element;
    for (std::size_t d = 0; d < box.count.size(); ++d) {
      at.push_back(box.start[d] + rest % box.count[d]);
      rest /= box.count[d];
    }
    numbers[at] = element;
  }
  return numbers;
}

/// By element of the wide box, the one of `box` that it is.
std::map<Index, Index> slow_pairs(const Region& box, const Region& wide, const Extents& sizes) {
  const std::map<std::vector<Index>, Index> held = numbers_of(box);
  std::map<Index, Index> pairs;
  for (const auto& [position, to] : numbers_of(wide)) {
    std::vector<Index> at = position;
    for (std::size_t d = 0; d < at.size(); ++d) at[d] = (at[d] % sizes[d] + sizes[d]) % sizes[d];
    if (const auto from = held.find(at); from != held.end()) pairs[to] = from->second;
  }
  return pairs;
}

std::map<Index, Index> pairs_of(const HaloRuns& runs) {
  std::map<Index, Index> pairs;
  EXPECT_EQ(runs.from.size(), runs.to.size());
  for (std::size_t r = 0; r < runs.to.size(); ++r) {
    EXPECT_EQ(runs.from[r].count, runs.to[r].count);
    for (Index i = 0; i < runs.to[r].count; ++i)
      EXPECT_TRUE(pairs.emplace(runs.to[r].first + i, runs.from[r].first + i).second);
  }
  EXPECT_EQ(static_cast<Index>(pairs.size()), runs.count);
  return pairs;
}

TEST(HaloRuns, have_what_lies_beside_a_part_of_a_periodic_dimension) {
  const Region whole{{0}, {5}};

  const Region wide = wide_box(whole, {{1, 2, true}}, {5});
  const HaloRuns runs = halo_runs(whole, wide, {5});

  EXPECT_EQ(wide, (Region{{-1}, {8}}));  // 4 | 0 1 2 3 4 | 0 1
  EXPECT_EQ(runs.count, 8);
  EXPECT_EQ(pairs_of(runs),
            (std::map<Index, Index>{{0, 4}, {1, 0}, {2, 1}, {3, 2}, {4, 3}, {5, 4}, {6, 0}, {7, 1}}));
}

TEST(HaloRuns, end_at_borders) {
  EXPECT_EQ(wide_box({{0, 3}, {2, 4}}, {{1, 1, false}, {2, 2, false}}, {4, 7}), (Region{{0, 1}, {3, 6}}));
  EXPECT_EQ(wide_box({{0, 3}, {0, 4}}, {{1, 1, true}, {0, 0, false}}, {4, 7}), (Region{{0, 3}, {0, 4}}));
}

TEST(HaloRuns, put_rows_that_follow_each_other_into_one) {
  const HaloRuns runs = halo_runs({{0, 0}, {6, 4}}, {{0, 1}, {6, 6}}, {6, 9});

  EXPECT_EQ(runs.from, (std::vector<IndexSet::Range>{{6, 18}}));
  EXPECT_EQ(runs.to, (std::vector<IndexSet::Range>{{0, 18}}));
}

TEST(HaloRuns, are_those_of_a_loop_over_elements) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SeededRandom random(seed);
    Extents sizes;
    Region box, part;
    std::vector<Halo> halos;
    for (std::uint64_t d = 1 + random.below(3); d > 0; --d) {
      const auto size = static_cast<Index>(1 + random.below(6));
      const auto some = [&](Index most) {
        return static_cast<Index>(random.below(static_cast<std::uint64_t>(most) + 1));
      };
      sizes.push_back(size);
      for (Region* one : {&box, &part}) {
        const Index first = some(size), count = some(size - first);
        one->add(IndexSet(first, count));
      }
      halos.push_back({some(size), some(size), random.below(2) == 0});
    }

    const Region wide = wide_box(part, halos, sizes);

    EXPECT_EQ(pairs_of(halo_runs(box, wide, sizes)), slow_pairs(box, wide, sizes)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace pileus
