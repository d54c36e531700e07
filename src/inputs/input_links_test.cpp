#include "inputs/input_links.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"

namespace pileus {
namespace {

/// Point t of 2 x 3 is 1/4 of source t and 3/4 of source t + 4 in a grid of 4 x 3; the last has no links.
LinkRows rows_of(const std::string& path, Index source, Index target, Index first, Index count) {
  if (source != 12 || target != 6) throw UsageError(path + ": of other sizes");
  LinkRows rows;
  for (Index point = first; point < first + count; ++point) {
    if (point < 5) {
      rows.source.insert(rows.source.end(), {point, point + 4});
      rows.weight.insert(rows.weight.end(), {0.25, 0.75});
    }
    rows.begin.push_back(rows.source.size());
  }
  return rows;
}

TEST(InputLinks, a_rank_reads_the_box_of_what_its_points_are_made_of) {
  const InputLinks links = input_links("w.nc", {4, 3}, {2, 3}, {{1, 0}, {1, 2}}, rows_of);  // points 1 and 3

  EXPECT_EQ(links.box, (Region{{1, 0}, {3, 2}}));
  EXPECT_EQ(links.rows.begin, (std::vector<std::uint64_t>{0, 2, 4}));
  EXPECT_EQ(links.rows.source, (std::vector<Index>{0, 3, 2, 5}));
  const std::vector<double> box = {1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 50, 60};
  EXPECT_EQ(regridded(links, box, 2), (std::vector<double>{0.25 * 1 + 0.75 * 4, 0.25 * 3 + 0.75 * 6,
                                                           0.25 * 10 + 0.75 * 40, 0.25 * 30 + 0.75 * 60}));
}

TEST(InputLinks, points_without_links_or_with_a_missing_value_have_none) {
  const InputLinks links = input_links("w.nc", {12}, {6}, {{4}, {2}}, rows_of);  // 4 and 5

  EXPECT_EQ(links.box, (Region{{4}, {5}}));
  const std::vector<double> got = regridded(links, std::vector<double>{1, 0, 0, 0, NAN}, 1);
  EXPECT_TRUE(std::isnan(got[0]));
  EXPECT_TRUE(std::isnan(got[1]));
  EXPECT_EQ(regridded(links, std::vector<double>{1, NAN, 0, 0, 3}, 1)[0], 2.5);
}

TEST(InputLinks, a_rank_whose_points_have_no_links_reads_nothing) {
  const InputLinks links = input_links("w.nc", {12}, {6}, {{5}, {1}}, rows_of);

  EXPECT_EQ(links.box.size(), 0);
  EXPECT_EQ(regridded(links, {}, 3).size(), 3U);
}

TEST(InputLinks, a_rank_without_points_refuses_other_weights_too) {
  EXPECT_EQ(input_links("w.nc", {12}, {6}, {{2}, {0}}, rows_of).rows.rows(), 0U);
  EXPECT_THROW(input_links("w.nc", {12}, {7}, {{2}, {0}}, rows_of), UsageError);
}

}  // namespace
}  // namespace pileus
