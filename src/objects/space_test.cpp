#include "objects/space.h"

#include <gtest/gtest.h>

#include <random>

namespace pileus::objects {
namespace {

using Axes = std::vector<Space::Axis>;

Index wrapped(Index at, const Space::Axis& axis) {
  if (at >= 0 && at < axis.size) return at;
  return axis.is_periodic ? (at + axis.size) % axis.size : -1;
}

/// Floods each object from its first element, one neighbour after the other.
std::vector<Index> flooded(const Axes& axes, bool has_corners, const std::vector<std::uint8_t>& is_inside) {
  std::vector<Index> firsts(is_inside.size(), -1);
  const auto places = [&](Index element) {
    std::vector<Index> at;
    for (const Space::Axis& axis : axes) {
      at.push_back(element % axis.size);
      element /= axis.size;
    }
    return at;
  };
  for (std::size_t seed = 0; seed < is_inside.size(); ++seed) {
    if (is_inside[seed] == 0 || firsts[seed] >= 0) continue;
    std::vector<Index> open = {static_cast<Index>(seed)};
    firsts[seed] = static_cast<Index>(seed);
    while (!open.empty()) {
      const std::vector<Index> at = places(open.back());
      open.pop_back();
      for (int code = 0; code < 27; ++code) {
        const int moves[] = {code % 3 - 1, code / 3 % 3 - 1, code / 9 - 1};
        int number = 0;
        Index there = 0, stride = 1;
        bool is_there = true;
        for (std::size_t d = 0; d < 3; ++d) {
          if (d >= axes.size()) {
            is_there = is_there && moves[d] == 0;
            continue;
          }
          number += std::abs(moves[d]);
          const Index along = wrapped(at[d] + moves[d], axes[d]);
          is_there = is_there && along >= 0;
          there += along * stride;
          stride *= axes[d].size;
        }
        if (!is_there || number == 0 || (!has_corners && number > 1)) continue;
        const auto to = static_cast<std::size_t>(there);
        if (is_inside[to] == 0 || firsts[to] >= 0) continue;
        firsts[to] = static_cast<Index>(seed);
        open.push_back(there);
      }
    }
  }
  return firsts;
}

std::vector<Index> firsts(const Space& space, const std::vector<std::uint8_t>& is_inside) {
  const auto length = static_cast<std::size_t>(space.axes().front().size);
  std::vector<Run> runs;
  for (std::size_t i = 0; i < is_inside.size(); ++i) {
    if (is_inside[i] == 0) continue;
    const auto at = static_cast<Index>(i % length);
    if (at > 0 && is_inside[i - 1] != 0)
      ++runs.back().end;
    else
      runs.push_back({i / length, at, at + 1});
  }
  space.join(runs);
  std::vector<Index> firsts(is_inside.size(), -1);
  for (const Run& run : runs)
    for (Index at = run.begin; at < run.end; ++at)
      firsts[run.row * length + static_cast<std::size_t>(at)] = run.object;
  return firsts;
}

TEST(Space, finds_what_a_flood_finds_in_random_fields) {
  std::mt19937 random(17);
  const auto below = [&](Index end) {
    return static_cast<Index>(random() % static_cast<std::uint32_t>(end));
  };
  for (int trial = 0; trial < 400; ++trial) {
    Axes axes;
    const auto rank = static_cast<std::size_t>(1 + below(3));
    for (std::size_t d = 0; d < rank; ++d) axes.push_back({d, 1 + below(9), below(2) == 0});
    const bool has_corners = below(2) == 0;
    const Space space(axes, has_corners);
    std::vector<std::uint8_t> is_inside;
    const Index dense = 1 + below(9);
    Index size = 1;
    for (const Space::Axis& axis : axes) size *= axis.size;
    for (Index i = 0; i < size; ++i) is_inside.push_back(below(10) < dense ? 1 : 0);

    EXPECT_EQ(firsts(space, is_inside), flooded(axes, has_corners, is_inside)) << "trial " << trial;
  }
}

TEST(Space, lies_in_a_part_with_other_dimensions_between) {
  const Space space({{0, 2, false}, {2, 3, false}}, false);
  const operators::Region part{{0, 5, 0}, {2, 4, 3}};

  EXPECT_EQ(space.rows(part), (std::vector<Index>{0, 8, 16}));
  EXPECT_EQ(space.stride(part), 1);
  EXPECT_EQ(space.begins(part), (std::vector<Index>{0, 2, 4, 6}));
}

TEST(Space, of_an_empty_part_has_nothing) {
  const Space space({{0, 2, false}}, true);

  EXPECT_TRUE(space.begins({{0, 0}, {2, 0}}).empty());
  EXPECT_TRUE(space.begins({{0, 0}, {0, 3}}).empty());
}

}  // namespace
}  // namespace pileus::objects
