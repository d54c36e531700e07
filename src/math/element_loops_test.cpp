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

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

using Scalar = std::function<double(double a, double b, double condition)>;

/// What each operation has to give, one number at a time.
std::vector<std::pair<ElementOperation, Scalar>> operations_and_what_they_mean() {
  using enum ElementOperation;
  return {{negate, [](double a, double, double) { return -a; }},
          {absolute, [](double a, double, double) { return std::fabs(a); }},
          {square_root, [](double a, double, double) { return pileus::square_root(a); }},
          {add, [](double a, double b, double) { return a + b; }},
          {subtract, [](double a, double b, double) { return a - b; }},
          {multiply, [](double a, double b, double) { return a * b; }},
          {divide, [](double a, double b, double) { return a / b; }},
          {less, [](double a, double b, double) { return a < b ? 1 : 0; }},
          {less_equal, [](double a, double b, double) { return a <= b ? 1 : 0; }},
          {equal, [](double a, double b, double) { return a == b ? 1 : 0; }},
          {not_equal, [](double a, double b, double) { return a != b ? 1 : 0; }},
          {minimum, [](double a, double b, double) { return pileus::minimum(a, b); }},
          {maximum, [](double a, double b, double) { return pileus::maximum(a, b); }},
          {select, [](double a, double b, double condition) { return condition != 0 ? a : b; }}};
}

TEST(ElementLoops, of_every_instruction_set_give_the_same_bits_as_single_numbers) {
  const SumKernel& usual = sum_kernel();
  Random random(11);
  for (const SumKernel* kernel : sum_kernels()) {
    if (!is_usable(*kernel)) continue;
    use_sum_kernel(*kernel);
    ASSERT_STREQ(element_loops().name, kernel->name);
    for (std::size_t turn = 0; turn < 200; ++turn) {
      const std::size_t size = testing::below(random, 200);
      Values a(size), b(size), condition(size);
      for (Values* values : {&a, &b, &condition}) mixed(random, *values);
      const auto operations = operations_and_what_they_mean();
      std::vector<Values> out(operations.size(), Values(size));
      std::vector<ElementStep> steps;
      for (std::size_t s = 0; s < operations.size(); ++s)
        steps.push_back({operations[s].first, a.data(), b.data(), condition.data(), out[s].data()});

      element_loops().run(steps.data(), steps.size(), size);

      for (std::size_t s = 0; s < operations.size(); ++s) {
        for (std::size_t i = 0; i < size; ++i) {
          const double expected = operations[s].second(a[i], b[i], condition[i]), made = out[s][i];
          const bool is_same = std::isnan(expected) ? std::isnan(made) : bits(made) == bits(expected);
          ASSERT_TRUE(is_same) << kernel->name << ", operation " << s << " of " << a[i] << ", " << b[i]
                               << " and " << condition[i] << " is " << made << ", not " << expected;
        }
      }
    }
  }
  use_sum_kernel(usual);
}

TEST(ElementLoops, later_steps_take_what_earlier_ones_made) {
  // (a + b) · a - b, over more than one strip: with a = i and b = 1, i² + i - 1.
  const std::size_t size = 150;
  Values a(size), b(size, 1), sum(size), product(size), result(size);
  for (std::size_t i = 0; i < size; ++i) a[i] = static_cast<double>(i);
  const ElementStep steps[] = {
      {ElementOperation::add, a.data(), b.data(), a.data(), sum.data()},
      {ElementOperation::multiply, sum.data(), a.data(), a.data(), product.data()},
      {ElementOperation::subtract, product.data(), b.data(), a.data(), result.data()}};

  element_loops().run(steps, 3, size);

  for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(result[i], a[i] * a[i] + a[i] - 1);
}

TEST(ElementLoops, what_repeats_is_one_strip_long) {
  // (a + b) · a - b as above, with b and what lies between in one strip each.
  const std::size_t size = 2 * kElementStrip + 7;
  Values a(size), result(size), b(kElementStrip, 1), sum(kElementStrip), product(kElementStrip);
  for (std::size_t i = 0; i < size; ++i) a[i] = static_cast<double>(i);
  using enum ElementOperation;
  const ElementStep steps[] = {
      {add, a.data(), b.data(), a.data(), sum.data(), false, true, false, true},
      {multiply, sum.data(), a.data(), a.data(), product.data(), true, false, false, true},
      {select, product.data(), a.data(), b.data(), sum.data(), true, false, true, true},
      {subtract, sum.data(), b.data(), a.data(), result.data(), true, true, false, false}};

  element_loops().run(steps, 4, size);

  for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(result[i], a[i] * a[i] + a[i] - 1);
}

}  // namespace
}  // namespace pileus::detail
