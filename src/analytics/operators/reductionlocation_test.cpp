#include <limits>

#include "analytics/operators/testing/applied.h"
#include "analytics/sift.h"

namespace pileus {
namespace {

/// Of 2 z, 5 y and 3 x this rank has z 0..1, y 3..4, x 1.
const Region kHeld{{0, 3, 1}, {2, 2, 1}};
const std::vector<Index> kExtents = {2, 5, 3};

/// Empty Partials as -1.
std::vector<double> found(const std::vector<double>& part, const std::vector<int>& axes,
                          const AlignedInput& value, std::optional<double> missing = {}) {
  const Sifting sifting = operators::sifting("reductionlocation", {}, {});
  const Array array = make_array(part, kHeld.count);
  return to_doubles(sift(*sifting.picks[0], {array, kHeld, kExtents, axes, missing, &value}), -1);
}
AlignedInput scalar(double value) { return {make_array({value}, {}), 0, {0, 0, 0}}; }

TEST(ReductionLocation, is_the_lowest_index_of_the_whole_domain) {
  // 7 at (1, 3, 1) and (0, 4, 1): 1 + 2 (3 + 5) = 17 and 0 + 2 (4 + 5) = 18.
  EXPECT_EQ(found({1, 7, 7, 2}, {0, 1, 2}, scalar(7)), (std::vector<double>{17}));
  EXPECT_EQ(found({1, 7, 7, 2}, {0, 1, 2}, scalar(3)), (std::vector<double>{-1}));
}

TEST(ReductionLocation, is_found_for_each_element_of_a_value_that_has_dimensions) {
  // By level: 7 at level 0 is at (4, 1): 4 + 5; 7 at level 1 at (3, 1): 3 + 5.
  const AlignedInput levels{make_array({7, 7}, {2}), 0, {1, 0, 0}};
  EXPECT_EQ(found({1, 7, 7, 2}, {1, 2}, levels), (std::vector<double>{9, 8}));
  // Over z: rows 3 and 4 of x = 1 are results 3 + 5 and 4 + 5 of 15.
  const std::vector<double> rows = found({1, 7, 7, 2}, {0}, {make_array({7, 2}, {2, 1}), 0, {0, 1, 2}});
  ASSERT_EQ(rows.size(), 15U);
  EXPECT_EQ(rows[8], 1);
  EXPECT_EQ(rows[9], 1);
  EXPECT_EQ(std::ranges::count(rows, -1), 13);
}

TEST(ReductionLocation, tells_zeros_apart_finds_nan_and_overlooks_what_is_missing) {
  const double nan = std::numeric_limits<double>::quiet_NaN();

  EXPECT_EQ(found({-0.0, 0, nan, 2}, {0, 1, 2}, scalar(0)), (std::vector<double>{17}));
  EXPECT_EQ(found({0, -0.0, nan, 2}, {0, 1, 2}, scalar(-0.0)), (std::vector<double>{17}));
  EXPECT_EQ(found({0, 0, nan, 2}, {0, 1, 2}, scalar(nan)), (std::vector<double>{18}));
  EXPECT_EQ(found({2, 0, 0, 2}, {0, 1, 2}, scalar(2), 2.0), (std::vector<double>{-1}));
}

}  // namespace

namespace operators {
namespace {

Quantity w() { return quantity("w", {{"z", 2, {10, 20}}, {"y", 5}, {"x", 3}}); }
using Attributes = std::map<std::string, std::string>;
Attributes attributes(const std::string& dimension, const std::string& as) {
  return {{"field", "w"}, {"value", "w_max"}, {"dimension", dimension}, {"as", as}};
}

TEST(ReductionLocation, unfolds_a_linear_index_over_the_dimensions_that_were_reduced) {
  const auto place = [](const Attributes& attributes, const Quantity& value, double linear) {
    const Prepared one = prepared("reductionlocation", attributes, {w(), value});
    std::vector<double> result(1);
    one.compute({{Type::float64, &linear, {}}}, {Type::float64, result.data(), {}});
    return result[0];
  };
  const Quantity whole = quantity("w_max", {}), by_y = quantity("w_max", {{"y", 5}});

  // 17 = 1 + 2 (3 + 5 * 1); without y 5 = 1 + 2 * 2.
  EXPECT_EQ(place(attributes("z", "index"), whole, 17), 1);
  EXPECT_EQ(place(attributes("y", "index"), whole, 17), 3);
  EXPECT_EQ(place(attributes("x", "index"), whole, 17), 1);
  EXPECT_EQ(place(attributes("z", "coordinate"), whole, 17), 20);
  EXPECT_EQ(place(attributes("x", "index"), by_y, 5), 2);
  EXPECT_EQ(place(attributes("x", "index"), whole, 0x1.ep+122), 0x1.ep+122);
}

TEST(ReductionLocation, refuses_what_cannot_be) {
  EXPECT_EQ(refusal("reductionlocation", attributes("y", "coordinate"), {w(), quantity("w_max", {})}),
            "as: the model gives no coordinates to \"y\"");
  EXPECT_EQ(refusal("reductionlocation", attributes("y", "index"), {w(), quantity("w_max", {{"y", 5}})}),
            "dimension: \"w_max\" is not reduced over \"y\"");
  EXPECT_EQ(refusal("reductionlocation", attributes("t", "index"), {w(), quantity("w_max", {})}),
            "dimension: \"w\" has no dimension \"t\"; it has z, y, x");
}

}  // namespace
}  // namespace operators
}  // namespace pileus
