#include <gtest/gtest.h>

#include <algorithm>

#include "by_place/neighbours.h"
#include "core/catalogue.h"

namespace pileus {
namespace operators {
Declaration at();
}
namespace {

using operators::Dimension;
using operators::Quantity;
using operators::Rule;

Dimension dimension(const std::string& name, std::vector<double> coordinates, const std::string& units) {
  return {name, static_cast<Index>(coordinates.size()), std::move(coordinates), units};
}

Regridding stations(const Quantity& field, const std::string& dimensions, const std::string& y,
                    const std::string& x, const std::string& method = "nearest") {
  Rule rule;
  rule.parameters = {{"field", field.name}, {"dimensions", dimensions}, {"y", y},        {"x", x},
                     {"method", method},    {"station", "station"},     {"stations", ""}};
  rule.inputs = {field};
  return operators::at().regrid(rule, {});
}

const std::vector<double> kLatitudes = {-60, -20, 20, 60}, kLongitudes = {0, 90, 180, 270};
const Quantity kField = {
    "t",
    {},
    {dimension("lon", kLongitudes, "degrees_east"), dimension("lat", kLatitudes, "degrees_north")},
    {}};

using Sources = std::vector<Index>;
using Weights = std::vector<double>;

TEST(At, takes_the_nearest_element_of_two_dimensions) {
  const LinkRows rows = stations(kField, "lat,lon", "21 -61 0", "89 359 135.5").links(0, 3);
  EXPECT_EQ(rows.source, (Sources{2 * 4 + 1, 0, 1 * 4 + 2}));
  EXPECT_EQ(rows.weight, (Weights{1, 1, 1}));
}

TEST(At, lies_between_four_elements_and_around_the_globe) {
  const LinkRows rows = stations(kField, "lat,lon", "0", "315", "bilinear").links(0, 1);
  EXPECT_EQ(rows.source, (Sources{4, 7, 8, 11}));
  EXPECT_EQ(rows.weight, (Weights{0.25, 0.25, 0.25, 0.25}));
}

/// Within half a step of the first longitude, and yet between the last and the first.
TEST(At, lies_between_the_last_longitude_and_the_first) {
  for (const char* longitude : {"-9", "351", "711", "-369"}) {
    const LinkRows rows = stations(kField, "lat,lon", "20", longitude, "bilinear").links(0, 1);
    EXPECT_EQ(rows.source, (Sources{8, 11})) << longitude;
    ASSERT_EQ(rows.weight.size(), 2u);
    EXPECT_NEAR(rows.weight[0], 0.9, 1e-15) << longitude;
    EXPECT_NEAR(rows.weight[1], 0.1, 1e-15) << longitude;
  }
}

TEST(At, finds_elements_of_a_dimension_that_falls) {
  Quantity field = kField;
  std::ranges::reverse(field.dimensions[1].coordinates);
  const LinkRows rows = stations(field, "lat,lon", "20 60 -60 50", "90 0 270 0").links(0, 4);
  EXPECT_EQ(rows.source, (Sources{4 + 1, 0, 3 * 4 + 3, 0}));
}

/// Rules whose links have one name share them.
TEST(At, does_not_share_links_between_grids_of_the_same_size) {
  Quantity staggered = kField;
  staggered.name = "u";
  staggered.dimensions[0] = dimension("lon_u", {45, 135, 225, 315}, "degrees_east");
  const Regridding one = stations(kField, "lat,lon", "21", "80"),
                   other = stations(staggered, "lat,lon_u", "21", "80");
  EXPECT_NE(one.links(0, 1).source, other.links(0, 1).source);
  EXPECT_NE(one.links_name, other.links_name);

  Quantity turned = kField;
  std::ranges::reverse(turned.dimensions);
  EXPECT_NE(one.links_name, stations(turned, "lat,lon", "21", "80").links_name);
  EXPECT_EQ(one.links_name, stations(kField, "lat,lon", "21", "80").links_name);
}

TEST(At, says_what_lies_outside) {
  try {
    stations(kField, "lat,lon", "81", "0");
    ADD_FAILURE() << "it was taken";
  } catch (const operators::ParameterError& error) {
    EXPECT_EQ(error.parameter(), "y");
    EXPECT_STREQ(error.what(), "81 lies outside of \"lat\", which goes from -60 to 60");
  }
}

}  // namespace
}  // namespace pileus
