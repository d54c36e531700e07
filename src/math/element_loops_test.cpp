#include "math/element_loops.h"

#include <gtest/gtest.h>

#include <bit>
#include <functional>

#include "math/elementary.h"
#include "math/random_values.h"
#include "math/sum_kernel.h"

namespace pileus::detail {
namespace {

using testing::Random;
using Values = std::vector<double>;

/// Numbers of every kind, each beside each: zeros of both signs, infinities, NaN, subnormals, others.
void mixed(Random& random, Values& values) {
  const double special[] = {0.0,
                            -0.0,
                            std::numeric_limits<double>::infinity(),
                            -std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::quiet_NaN(),
                            std::numeric_limits<double>::denorm_min(),
                            1,
                            -1};
  for (double& value : values) {
    const std::size_t kind = testing::below(random, 3);
    value = kind == 0   ? special[testing::below(random, 8)]
            : kind == 1 ? testing::any_finite(random)
                        : testing::around_one(random, 3);
  }
}

using Scalar = std::function<double(double a, double b, double condition)>;

/// What each loop has to give, one number at a time.
std::vector<std::pair<ElementLoop, Scalar>> loops_and_what_they_mean(const ElementLoops& loops) {
  return {{loops.negate, [](double a, double, double) { return -a; }},
          {loops.absolute, [](double a, double, double) { return std::fabs(a); }},
          {loops.square_root, [](double a, double, double) { return square_root(a); }},
          {loops.add, [](double a, double b, double) { return a + b; }},
          {loops.subtract, [](double a, double b, double) { return a - b; }},
          {loops.multiply, [](double a, double b, double) { return a * b; }},
          {loops.divide, [](double a, double b, double) { return a / b; }},
          {loops.less, [](double a, double b, double) { return a < b ? 1 : 0; }},
          {loops.less_equal, [](double a, double b, double) { return a <= b ? 1 : 0; }},
          {loops.equal, [](double a, double b, double) { return a == b ? 1 : 0; }},
          {loops.not_equal, [](double a, double b, double) { return a != b ? 1 : 0; }},
          {loops.minimum, [](double a, double b, double) { return minimum(a, b); }},
          {loops.maximum, [](double a, double b, double) { return maximum(a, b); }},
          {loops.select, [](double a, double b, double condition) { return condition != 0 ? a : b; }}};
}

TEST(ElementLoops, of_every_instruction_set_give_the_same_bits_as_single_numbers) {
  const SumKernel& usual = sum_kernel();
  Random random(11);
  for (const SumKernel* kernel : sum_kernels()) {
    if (!is_usable(*kernel)) continue;
    use_sum_kernel(*kernel);
    ASSERT_STREQ(element_loops().name, kernel->name);
    for (std::size_t turn = 0; turn < 200; ++turn) {
      const std::size_t size = testing::below(random, 70);
      Values a(size), b(size), condition(size), out(size);
      for (Values* values : {&a, &b, &condition}) mixed(random, *values);

      std::size_t number = 0;
      for (const auto& [loop, meaning] : loops_and_what_they_mean(element_loops())) {
        loop(a.data(), b.data(), condition.data(), size, out.data());

        for (std::size_t i = 0; i < size; ++i) {
          const double expected = meaning(a[i], b[i], condition[i]);
          const bool is_same = std::isnan(expected) ? std::isnan(out[i])
                                                    : std::bit_cast<std::uint64_t>(out[i]) ==
                                                          std::bit_cast<std::uint64_t>(expected);
          ASSERT_TRUE(is_same) << kernel->name << ", loop " << number << ": of " << a[i] << ", " << b[i]
                               << " and " << condition[i] << " it makes " << out[i] << ", not " << expected;
        }
        ++number;
      }
    }
  }
  use_sum_kernel(usual);
}

}  // namespace
}  // namespace pileus::detail
