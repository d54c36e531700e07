#include "analytics/operators/testing/applied.h"
#include "core/missing.h"

namespace pileus::operators {
namespace {

using Parameters = std::map<std::string, std::string>;

const Dimension kZ = {"z", 4, {0, 100, 200, 300}, "m"};

Quantity t() { return quantity("t", {kZ, {"x", 2}}); }
Quantity height() { return quantity("height", {kZ}); }

const Held kT = {{280, 270, 276, 260, 270, 268, 274, 272}, {{0, 0}, {4, 2}}};
const Held kHeight = {{10, 110, 210, 310}, {{0}, {4}}};

std::vector<double> found(Parameters more, std::vector<Quantity> known, const std::vector<Held>& held) {
  Parameters parameters = {{"of", "t"}, {"dimension", "z"}};
  parameters.merge(more);
  const Prepared rule = prepared("isosurface", std::move(parameters), std::move(known));
  std::vector<Part> parts;
  for (const Held& one : held) parts.push_back({Type::float64, one.values.data(), one.region});
  std::vector<double> result(2);
  rule.compute(parts, {Type::float64, result.data(), {{0}, {2}}});
  return result;
}

TEST(Isosurface, is_where_a_column_first_passes_a_value) {
  // x 0: between 10 m and 110 m, half of the way; x 1: between 110 m and 210 m, 5/6.
  EXPECT_EQ(found({{"field", "height"}, {"value", "275"}}, {height(), t()}, {kHeight, kT}),
            (std::vector<double>{60, kMissing}));
  EXPECT_EQ(found({{"field", "height"}, {"value", "273"}}, {height(), t()}, {kHeight, kT}),
            (std::vector<double>{80, 110 + 100.0 / 6 * 5}));
}

TEST(Isosurface, may_be_looked_for_from_the_other_end) {
  // x 0: 276 K at 210 m, 260 K at 310 m: 3/16 behind; x 1: half of the way down from 310 m.
  EXPECT_EQ(found({{"field", "height"}, {"value", "273"}, {"from", "end"}}, {height(), t()}, {kHeight, kT}),
            (std::vector<double>{-100.0 / 16 * 13 + 310, 260}));
}

TEST(Isosurface, is_a_coordinate_where_no_field_is_named) {
  EXPECT_EQ(found({{"field", ""}, {"value", "275"}, {"method", "nearest"}}, {t()}, {kT}),
            (std::vector<double>{100, kMissing}));
}

TEST(Isosurface, lacks_the_dimension_that_columns_go_along) {
  const Quantity result =
      prepared("isosurface", {{"of", "t"}, {"dimension", "z"}, {"value", "1"}}, {t()}).result;

  ASSERT_EQ(result.dimensions.size(), 1U);
  EXPECT_EQ(result.dimensions[0], (Dimension{"x", 2}));
}

TEST(Isosurface, refuses_what_cannot_be) {
  Quantity bare = t();
  bare.dimensions[0].coordinates.clear();
  const Parameters parameters = {{"of", "t"}, {"dimension", "z"}, {"value", "-1"}};

  EXPECT_EQ(refusal("isosurface", parameters, {bare}),
            "dimension: the model gives no coordinates to \"z\": name a field whose values are taken there");
  Parameters log = parameters;
  log["method"] = "log";
  EXPECT_EQ(refusal("isosurface", log, {t()}), "value: it is not above 0 and has no logarithm");
}

}  // namespace
}  // namespace pileus::operators
