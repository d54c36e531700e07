// Axes of 2, 3 and 4 elements, the first the fastest.

#include "math/reduced_axes.h"

#include <gtest/gtest.h>

namespace pileus {
namespace {

using Axes = std::vector<ReducedAxis>;

TEST(ReducedAxes, that_lie_as_one_and_are_reduced_together_are_one) {
  EXPECT_EQ(merged(Axes{{2, 1, 0}, {3, 2, 0}, {4, 6, 0}}), (Axes{{24, 1, 0}}));
  EXPECT_EQ(merged(Axes{{2, 1, 1}, {3, 2, 2}, {4, 6, 0}}), (Axes{{6, 1, 1}, {4, 6, 0}}));
}

TEST(ReducedAxes, of_which_one_is_kept_are_two) {
  const Axes kept_first = {{2, 1, 1}, {3, 2, 0}}, kept_last = {{2, 1, 0}, {3, 2, 1}};

  EXPECT_EQ(merged(kept_first), kept_first);
  EXPECT_EQ(merged(kept_last), kept_last);
}

TEST(ReducedAxes, with_something_between_their_rows_are_two) {
  const Axes halo = {{2, 1, 0}, {3, 4, 0}}, reversed = {{2, -1, 0}, {3, 2, 0}};

  EXPECT_EQ(merged(halo), halo);
  EXPECT_EQ(merged(reversed), reversed);
  EXPECT_EQ(merged(Axes{{2, -1, 0}, {3, -2, 0}}), (Axes{{6, -1, 0}}));
}

/// The result has a larger extent of the first dimension than this part of it.
TEST(ReducedAxes, with_something_between_their_rows_of_the_result_are_two) {
  const Axes axes = {{2, 1, 1}, {3, 2, 5}};

  EXPECT_EQ(merged(axes), axes);
}

TEST(ReducedAxes, of_one_element_are_left_out_wherever_they_lie) {
  EXPECT_EQ(merged(Axes{{1, 7, 9}, {2, 1, 0}, {1, 3, 0}, {3, 2, 0}, {1, 5, 2}}), (Axes{{6, 1, 0}}));
  EXPECT_EQ(merged(Axes{{1, 1, 0}}), Axes{});
}

}  // namespace
}  // namespace pileus
