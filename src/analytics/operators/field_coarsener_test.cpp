#include "analytics/operators/testing/applied.h"

namespace pileus::operators {
namespace {

/// w on a domain of 2 z and 7 x, with heights.
Quantity w() { return quantity("w", {{"z", 2, {10, 20}, "m"}, {"x", 7, {0, 1, 2, 3, 4, 5, 6}, "km"}}); }

Prepared every(const std::string& dimensions, const std::string& periods) {
  return prepared("field_coarsener", {{"field", "w"}, {"dimension", dimensions}, {"period", periods}}, {w()});
}

TEST(FieldCoarsener, brings_a_dimension_with_the_coordinates_of_its_points) {
  const Quantity result = every("x", "3").result;

  EXPECT_EQ(result.dimensions[0], w().dimensions[0]);
  EXPECT_EQ(result.dimensions[1], (Dimension{"x_every_3", 3, {0, 3, 6}, "km"}));
}

TEST(FieldCoarsener, names_its_dimension_by_the_size_where_that_is_wanted) {
  const Quantity result =
      prepared("field_coarsener",
               {{"field", "w"}, {"dimension", "z,x"}, {"period", "1,3"}, {"named_by", "size"}}, {w()})
          .result;

  EXPECT_EQ(result.dimensions[0], w().dimensions[0]);
  EXPECT_EQ(result.dimensions[1], (Dimension{"x_3", 3, {0, 3, 6}, "km"}));
}

TEST(FieldCoarsener, counts_by_global_index_whatever_a_rank_holds) {
  // Points 0, 3 and 6 of x: 0..1 | 2..3 | 4..5 | 6.
  const Prepared third = every("x", "3");
  const auto region = [&](Index start, Index count) {
    return third.region({Region{{0, start}, {2, count}}});
  };

  EXPECT_EQ(region(0, 2), (Region{{0, 0}, {2, 1}}));
  EXPECT_EQ(region(2, 2), (Region{{0, 1}, {2, 1}}));
  EXPECT_EQ(region(4, 2).size(), 0);
  EXPECT_EQ(region(6, 1), (Region{{0, 2}, {2, 1}}));
  EXPECT_EQ(region(7, 0).size(), 0);
}

TEST(FieldCoarsener, takes_the_values_of_its_points) {
  // x 2..6, values z + 10 x.
  const Held held{{20, 21, 30, 31, 40, 41, 50, 51, 60, 61}, {{0, 2}, {2, 5}}};

  EXPECT_EQ(computed(every("x", "3"), {held}), (std::vector<double>{30, 31, 60, 61}));
  EXPECT_EQ(computed(every("z,x", "2,4"), {held}), (std::vector<double>{40}));
  EXPECT_EQ(computed(every("x", "1"), {held}), held.values);
}

TEST(FieldCoarsener, a_period_beyond_the_end_leaves_the_first_point) {
  EXPECT_EQ(every("x", "100").result.dimensions[1].size, 1);
  EXPECT_EQ(every("x", "9223372036854775807").result.dimensions[1].size, 1);
}

TEST(FieldCoarsener, refuses_what_cannot_be) {
  const auto why = [](const std::string& dimensions, const std::string& periods) {
    return refusal("field_coarsener", {{"field", "w"}, {"dimension", dimensions}, {"period", periods}},
                   {w()});
  };

  EXPECT_EQ(why("z,x", "2"), "period: 1 periods for 2 dimensions; each needs its own");
  EXPECT_EQ(why("x", "0"), "period: a period is at least 1");
  EXPECT_EQ(why("x,z,x", "2,2,3"), "dimension: \"x\" is there twice");
  EXPECT_EQ(why("y", "2"), "dimension: \"w\" has no dimension \"y\"; it has z, x");
}

}  // namespace
}  // namespace pileus::operators
