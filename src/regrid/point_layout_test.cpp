#include "regrid/point_layout.h"

#include <gtest/gtest.h>

#include "regrid/testing/regrid_model.h"

namespace pileus {
namespace {

using testing::ElementPlace;
using testing::place_of;
using testing::product;
using testing::RegridModel;
using testing::whole_of;

IndexRanges ranges_of(const std::set<Index>& points) {
  IndexRanges ranges;
  for (const Index point : points) add_index(ranges, point);
  return ranges;
}

std::set<Index> points_of(const IndexRanges& ranges) {
  std::set<Index> points;
  for (const IndexSet::Range& range : ranges)
    for (Index point = range.first; point < range.end(); ++point) points.insert(point);
  return points;
}

/// A shape, some of its dimensions, and a box in them.
struct RandomShape {
  explicit RandomShape(std::uint64_t seed) {
    SeededRandom random(seed);
    extents = testing::random_extents(random, 1 + random.below(5), 5);
    for (std::size_t d = 0; d < extents.size(); ++d)
      if (random.below(2) == 0) axes.push_back(static_cast<int>(d));
    if (axes.empty()) axes.push_back(static_cast<int>(random.below(extents.size())));
    const std::vector<Region> boxes = testing::random_boxes(random, whole_of(extents), 1 + random.below(4));
    box = boxes[random.below(boxes.size())];
    for (Index point = 0; point < product(extents); ++point)
      if (random.below(3) > 0) some.insert(point);
  }
  Extents extents;
  std::vector<int> axes;
  Region box;
  std::set<Index> some;  ///< elements
};

TEST(PointOffsets, knows_where_each_element_lies_of_points_over_any_dimensions) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomShape shape(seed);

    const PointOffsets offsets(shape.extents, shape.axes);

    ASSERT_EQ(offsets.points() * static_cast<Index>(offsets.of_others().size()), product(shape.extents));
    Index offset = 0;
    testing::for_each_position(whole_of(shape.extents), [&](const Extents& position) {
      const ElementPlace place = place_of(position, shape.extents, shape.axes);
      ASSERT_EQ(offsets.of_point(place.point) + offsets.of_others()[static_cast<std::size_t>(place.other)],
                offset++);
    });
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(PointOffsets, reaches_beyond_two_gibibytes) {
  const PointOffsets adjacent({2, 1 << 20, 1 << 20}, {1, 2});
  EXPECT_EQ(adjacent.of_point((Index{1} << 40) - 1), (Index{1} << 41) - 2);
  const PointOffsets apart({1 << 20, 2, 1 << 20}, {0, 2});
  EXPECT_EQ(apart.of_point(Index{1} << 20), Index{1} << 21);
  EXPECT_EQ(apart.of_others(), (std::vector<Index>{0, 1 << 20}));
}

TEST(PointOffsets, places_what_a_box_holds_among_all_elements_of_a_point) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomShape shape(seed);
    const std::vector<Index> places = places_of_others(shape.box, shape.extents, shape.axes);
    if (shape.box.size() == 0) continue;
    const PointOffsets held(shape.box.count, shape.axes);
    ASSERT_EQ(places.size(), held.of_others().size());
    testing::for_each_position(whole_of(shape.box.count), [&](const Extents& within) {
      Extents position = within;
      for (std::size_t d = 0; d < within.size(); ++d) position[d] += shape.box.start[d];
      const auto other = static_cast<std::size_t>(place_of(within, shape.box.count, shape.axes).other);
      ASSERT_EQ(places[other], place_of(position, shape.extents, shape.axes).other);
    });
    if (::testing::Test::HasFatalFailure()) return;
  }
}

/// All points of a box, in the order in which it numbers them.
std::vector<Index> numbered_points(const Region& box, const Extents& extents) {
  std::vector<int> all;
  for (std::size_t d = 0; d < extents.size(); ++d) all.push_back(static_cast<int>(d));
  std::vector<Index> points;
  testing::for_each_position(
      box, [&](const Extents& position) { points.push_back(place_of(position, extents, all).point); });
  return points;
}

TEST(Boxes, have_their_points_by_number) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomShape shape(seed);
    const std::vector<Index> held = numbered_points(shape.box, shape.extents);
    for (std::size_t i = 0; i < held.size(); ++i)
      ASSERT_EQ(number_within(held[i], shape.box, shape.extents), static_cast<Index>(i));
    std::set<Index> both;
    for (const Index point : held)
      if (shape.some.contains(point)) both.insert(point);

    const IndexRanges found = points_in(ranges_of(shape.some), shape.box, shape.extents);

    EXPECT_EQ(points_of(found), both);
    for (std::size_t i = 1; i < found.size(); ++i) {
      ASSERT_GE(found[i].first, found[i - 1].end());
      ASSERT_FALSE(found[i].first == found[i - 1].end()) << "two ranges are one";
    }
  }
}

/// In what points_in() finds there may be points that do not follow each other in the box.
TEST(Boxes, find_runs_that_lie_in_them_one_behind_the_other) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomShape shape(seed);
    const std::vector<Index> held = numbered_points(shape.box, shape.extents);
    const std::set<Index> points(held.begin(), held.end());
    SeededRandom random(seed);
    for (int tries = 0; tries < 40; ++tries) {
      const IndexSet::Range range{
          static_cast<Index>(random.below(static_cast<std::uint64_t>(product(shape.extents)))),
          static_cast<Index>(random.below(6))};
      bool is_run = range.count > 0;
      for (Index point = range.first; point < range.end(); ++point) is_run = is_run && points.contains(point);
      EXPECT_EQ(is_run_of(range, shape.box, shape.extents), is_run) << range.first << " " << range.count;
    }
    for (const IndexSet::Range& range : points_in(ranges_of(shape.some), shape.box, shape.extents))
      EXPECT_TRUE(is_run_of(range, shape.box, shape.extents));
  }
}

TEST(Boxes, refuse_runs_that_are_none) {
  const Region box{{1, 1}, {2, 2}};  // 5 and 6, 9 and 10 of rows of 4
  const Extents extents = {4, 4};
  EXPECT_TRUE(is_run_of({5, 2}, box, extents));
  EXPECT_FALSE(is_run_of({5, 6}, box, extents)) << "its ends lie there, and not what is between";
  EXPECT_FALSE(is_run_of({4, 2}, box, extents));
  EXPECT_FALSE(is_run_of({6, 0}, box, extents));
  EXPECT_FALSE(is_run_of({21, 1}, box, extents)) << "beyond the last point";
  EXPECT_FALSE(is_run_of({0, 1}, {{0, 0}, {0, 4}}, extents));
}

TEST(PointBoxes, know_whether_ranks_hold_all_of_an_input) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RegridModel model = RegridModel::random(seed, seed % 3 > 0);
    const Plan plan = model.plan();
    for (std::size_t r = 0; r < model.inputs.size(); ++r) {
      const testing::RegridInput& input = model.inputs[r];
      std::set<Index> held;
      for (const Region& box : input.held)
        for (const Index element : numbered_points(box, input.extents)) held.insert(element);
      EXPECT_EQ(has_holes(plan, plan.rules[r]), static_cast<Index>(held.size()) < product(input.extents));
    }
  }
}

TEST(PointBoxes, are_what_model_ranks_hold_of_the_dimensions_of_the_points) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RegridModel model = RegridModel::random(seed, seed % 2 == 0);
    const Plan plan = model.plan();
    for (std::size_t r = 0; r < model.inputs.size(); ++r) {
      const testing::RegridInput& input = model.inputs[r];

      const PointBoxes boxes = point_boxes(plan, plan.rules[r]);
      const Extents extents = point_extents(plan, plan.rules[r]);

      ASSERT_EQ(extents, model.groups[input.group].source);
      ASSERT_EQ(boxes.size(), model.ranks);
      for (ClientRank rank = 0; rank < model.ranks; ++rank) {
        const std::vector<Index> points = numbered_points(boxes[rank], extents);
        EXPECT_EQ(std::set<Index>(points.begin(), points.end()), model.held_points(r, rank)) << rank;
      }
    }
  }
}

}  // namespace
}  // namespace pileus
