// The declaration of reductionlayer, by hand: what one rank picks, and what is made of what all ranks picked.

#include <limits>

#include "analytics/operators/testing/applied.h"
#include "analytics/sift.h"

namespace pileus::operators {
namespace {

using Attributes = std::map<std::string, std::string>;

/// Of 4 z and 3 x the rank has z 1..3 and x 1..2.
const pileus::Region kHeld{{1, 1}, {3, 2}};
const Extents kExtents = {4, 3};
Quantity cloud() { return quantity("cloud", {{"z", 4, {10, 30, 70, 150}, "m"}, {"x", 3}}); }

Attributes attributes(Attributes more = {}) {
  more.insert({{"field", "cloud"}, {"above", "0.5"}, {"dimension", "z"}});
  return more;
}

/// What the rank picks of levels 1 to 3 of two columns, -1 where it picks nothing.
std::vector<double> picked(const std::vector<double>& part, const std::vector<int>& axes, Attributes more,
                           std::size_t number = 0, std::optional<double> missing = {}) {
  const Sifting declared = sifting("reductionlayer", attributes(std::move(more)), {cloud()});
  const Array array = make_array(part, kHeld.count);
  return to_doubles(sift(*declared.picks.at(number), {array, kHeld, kExtents, axes, missing}), -1);
}

TEST(ReductionLayer, picks_the_first_or_last_level_above_the_limit_in_each_column) {
  const std::vector<double> part = {0, 1, 1, 1, 1, 0};

  EXPECT_EQ(picked(part, {0}, {{"dimensions", "z"}}), (std::vector<double>{-1, 2, 1}));
  EXPECT_EQ(picked(part, {0}, {{"dimensions", "z"}, {"gives", "last"}}), (std::vector<double>{-1, 3, 2}));
  EXPECT_EQ(picked(part, {0}, {{"dimensions", "z"}, {"gives", "distance"}}, 1),
            (std::vector<double>{-1, 3, 2}));
}

TEST(ReductionLayer, picks_one_level_of_all_columns_where_all_dimensions_are_reduced) {
  EXPECT_EQ(picked({0, 1, 1, 0, 0, 1}, {0, 1}, {}), (std::vector<double>{2}));
  EXPECT_EQ(picked({0, 0, 0, 0, 0, 0.5}, {0, 1}, {}), (std::vector<double>{-1}));
}

TEST(ReductionLayer, finds_the_place_in_the_slower_dimension_too) {
  // By level: column 2 alone at level 1, column 1 alone at level 2, none at level 3.
  EXPECT_EQ(picked({0, 1, 0, 1, 0, 0}, {1}, {{"dimension", "x"}, {"dimensions", "x"}}),
            (std::vector<double>{-1, 2, 1, -1}));
  EXPECT_EQ(picked({0, 1, 0, 1, 0, 0}, {0, 1}, {{"dimension", "x"}, {"gives", "last"}}),
            (std::vector<double>{2}));
}

TEST(ReductionLayer, overlooks_nan_and_what_is_missing) {
  const double nan = std::numeric_limits<double>::quiet_NaN();

  EXPECT_EQ(picked({nan, 9, 1, 9, nan, nan}, {0, 1}, {}, 0, 9.0), (std::vector<double>{3}));
}

TEST(ReductionLayer, gives_indices_coordinates_or_the_distance_between_them) {
  const auto made = [](Attributes more, const std::vector<std::vector<double>>& ends) {
    const Prepared one = prepared("reductionlayer", attributes(std::move(more)), {cloud()});
    std::vector<Part> parts;
    for (const std::vector<double>& end : ends) parts.push_back({Type::float64, end.data(), {{0}, {2}}});
    std::vector<double> result(2);
    one.compute(parts, {Type::float64, result.data(), {{0}, {2}}});
    return result;
  };
  const double none = 0x1.ep+122;

  EXPECT_EQ(made({}, {{1, none}}), (std::vector<double>{1, none}));
  EXPECT_EQ(made({{"as", "coordinate"}}, {{1, none}}), (std::vector<double>{30, none}));
  EXPECT_EQ(made({{"gives", "distance"}}, {{1, none}, {3, none}}), (std::vector<double>{2, none}));
  EXPECT_EQ(made({{"gives", "distance"}, {"as", "coordinate"}}, {{1, 2}, {3, 2}}),
            (std::vector<double>{120, 0}));
}

TEST(ReductionLayer, has_the_dimensions_and_units_that_are_left) {
  const Attributes in_columns = attributes({{"dimensions", "z"}, {"as", "coordinate"}});

  EXPECT_EQ(prepared("reductionlayer", in_columns, {cloud()}).result.dimensions[0].name, "x");
  EXPECT_EQ(prepared("reductionlayer", attributes(), {cloud()}).result.dimensions.size(), 0U);
  EXPECT_EQ(sifting("reductionlayer", in_columns, {cloud()}).units, "m");
  EXPECT_EQ(sifting("reductionlayer", attributes(), {cloud()}).units, "1");
}

TEST(ReductionLayer, refuses_what_cannot_be) {
  EXPECT_EQ(refusal("reductionlayer", attributes({{"dimensions", "x"}}), {cloud()}),
            "dimension: \"z\" is not among the dimensions");
  EXPECT_EQ(refusal("reductionlayer", attributes({{"dimension", "x"}, {"as", "coordinate"}}), {cloud()}),
            "as: the model gives no coordinates to \"x\"");
}

}  // namespace
}  // namespace pileus::operators
