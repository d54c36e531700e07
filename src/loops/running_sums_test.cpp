// The loops of running sums give what DoubleDouble gives, in every set, whatever the numbers.

#include "loops/running_sums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "loops/sum_kernel.h"
#include "loops/testing/every_kernel.h"
#include "loops/testing/random_values.h"

namespace pileus::detail {
namespace {

using testing::below;
using testing::Random;

struct Points {
  explicit Points(std::size_t size) : high(size), low(size), oracle(size) {}

  template <class T, class Add>
  void add(double weight, const std::vector<T>& values, Add add) {
    add(weight, values.data(), high.data(), low.data(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      DoubleDouble& sum = oracle[i];
      sum.add_product(weight, static_cast<double>(values[i]));
      if (std::isnan(sum.high)) sum.high = std::numeric_limits<double>::quiet_NaN();
    }
  }

  std::vector<double> high, low;
  std::vector<DoubleDouble> oracle;
};

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

void expect_same(const Points& points, const RunningSumLoops& loops, DoubleDouble divisor) {
  std::vector<double> quotients(points.high.size());
  loops.divide(points.high.data(), points.low.data(), divisor, quotients.data(), quotients.size());
  for (std::size_t i = 0; i < points.high.size(); ++i) {
    const DoubleDouble& sum = points.oracle[i];
    ASSERT_EQ(bits(points.high[i]), bits(sum.high)) << i;
    ASSERT_EQ(bits(points.low[i]), bits(sum.low)) << i;
    const double first = sum.high / divisor.high;
    const double rest = std::fma(-first, divisor.high, sum.high) + (sum.low - first * divisor.low);
    const double corrected = first + rest / divisor.high;
    ASSERT_EQ(bits(quotients[i]), bits(std::isfinite(corrected) ? corrected : first)) << i;
  }
}

class EveryRunningSumSet : public testing::EveryKernel {};

TEST_P(EveryRunningSumSet, gives_what_double_doubles_give) {
  const RunningSumLoops& loops = running_sum_loops();
  EXPECT_STREQ(loops.name, GetParam()->name);
  Random random(29);
  for (int round = 0; round < 300; ++round) {
    const std::size_t size = below(random, 600);
    Points points(size);
    DoubleDouble weights;
    const double usual[] = {1, 10, 0.1, 1e-3, 0x1.1p-99};
    for (std::size_t steps = 1 + below(random, 6); steps > 0; --steps) {
      const double weight = below(random, 5) == 0 ? std::fabs(testing::any_finite(random))
                                                  : usual[below(random, std::size(usual))];
      std::vector<double> values = testing::hard_values(random, size);
      if (below(random, 9) == 0) std::ranges::fill(values, 0x1.123456789abcdp998);
      const std::size_t kind = below(random, 3);
      if (kind == 0) points.add(weight, values, loops.add_doubles);
      if (kind == 1) points.add(weight, std::vector<float>(values.begin(), values.end()), loops.add_floats);
      std::vector<std::int32_t> integers(size);
      for (std::int32_t& integer : integers) integer = static_cast<std::int32_t>(random());
      if (kind == 2) points.add(weight, integers, loops.add_integers);
      weights.add(weight);
    }
    if (weights.high > 0) expect_same(points, loops, weights);
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, EveryRunningSumSet, ::testing::ValuesIn(sum_kernels()),
                         [](const auto& tested) { return std::string(tested.param->name); });

}  // namespace
}  // namespace pileus::detail
