#include <cmath>
#include <limits>

#include "analytics/operators/testing/applied.h"

namespace pileus::operators {
namespace {

Prepared clipped(const std::string& lower, const std::string& upper) {
  return prepared("clip", {{"field", "w"}, {"lower", lower}, {"upper", upper}},
                  {quantity("w", {{"z", 2}, {"x", 3}})});
}

TEST(Clip, brings_values_to_the_limits_and_leaves_nan) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();

  const std::vector<double> result =
      computed(clipped("-1", "2.5"), {{{-infinity, -1, 0, 2.6, infinity, nan}, {{0, 0}, {2, 3}}}});

  EXPECT_EQ(std::vector(result.begin(), result.begin() + 5), (std::vector<double>{-1, -1, 0, 2.5, 2.5}));
  EXPECT_TRUE(std::isnan(result[5]));
}

TEST(Clip, keeps_the_dimensions_and_refuses_limits_the_wrong_way_round) {
  EXPECT_EQ(clipped("1", "1").result.dimensions.size(), 2U);
  EXPECT_EQ(refusal("clip", {{"field", "w"}, {"lower", "2"}, {"upper", "1"}},
                    {quantity("w", {{"z", 2}, {"x", 3}})}),
            "upper: 1 is less than lower, 2");
}

}  // namespace
}  // namespace pileus::operators
