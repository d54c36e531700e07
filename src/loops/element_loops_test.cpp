#include "loops/element_loops.h"

#include <gtest/gtest.h>

#include <bit>
#include <functional>

#include "functions/elementary.h"
#include "loops/sum_kernel.h"
#include "loops/testing/random_values.h"

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
          {select, [](double a, double b, double condition) { return condition != 0 ? a : b; }},
          {one_nan, [](double a, double, double) { return a; }}};
}

/// What each follow has to give with r, the result of the operation before it.
std::vector<std::pair<ElementFollow, Scalar>> follows_and_what_they_mean() {
  using enum ElementFollow;
  return {{absolute, [](double r, double, double) { return std::fabs(r); }},
          {square_root, [](double r, double, double) { return pileus::square_root(r); }},
          {add, [](double r, double c, double) { return r + c; }},
          {subtract, [](double r, double c, double) { return r - c; }},
          {multiply, [](double r, double c, double) { return r * c; }},
          {divide, [](double r, double c, double) { return r / c; }},
          {added, [](double r, double c, double) { return c + r; }},
          {subtracted_from, [](double r, double c, double) { return c - r; }},
          {multiplied, [](double r, double c, double) { return c * r; }},
          {divided_by, [](double r, double c, double) { return c / r; }},
          {selects, [](double r, double c, double d) { return r != 0 ? c : d; }}};
}

/// A step and what it has to give.
struct Expected {
  ElementOperation operation;
  ElementFollow follow;
  std::function<double(double a, double b, double c, double d)> value;
};

/// Every operation alone, and with everything that has a loop together with it.
std::vector<Expected> all_steps() {
  std::vector<Expected> all;
  for (const auto& [operation, first] : operations_and_what_they_mean()) {
    all.push_back({operation, ElementFollow::nothing,
                   [first](double a, double b, double c, double) { return first(a, b, c); }});
    for (const auto& [follow, then] : follows_and_what_they_mean()) {
      if (!can_follow(operation, follow)) continue;
      all.push_back({operation, follow, [first, then](double a, double b, double c, double d) {
                       return then(first(a, b, c), c, d);
                     }});
    }
  }
  return all;
}

/// A step over arrays.
ElementStep step(ElementOperation operation, const Values& a, const Values& b, Values& out) {
  return {operation, ElementFollow::nothing, a.data(), b.data(), a.data(), a.data(), out.data()};
}

TEST(ElementLoops, of_every_instruction_set_give_the_same_bits_as_single_numbers) {
  const SumKernel& usual = sum_kernel();
  Random random(11);
  const std::vector<Expected> all = all_steps();
  ASSERT_EQ(all.size(), 15U + 5 * 10 + 4);
  for (const SumKernel* kernel : sum_kernels()) {
    if (!is_usable(*kernel)) continue;
    use_sum_kernel(*kernel);
    ASSERT_STREQ(element_loops().name, kernel->name);
    for (std::size_t turn = 0; turn < 200; ++turn) {
      const std::size_t size = testing::below(random, 200);
      Values a(size), b(size), c(size), d(size);
      for (Values* values : {&a, &b, &c, &d}) mixed(random, *values);
      std::vector<Values> out(all.size(), Values(size));
      std::vector<ElementStep> steps;
      for (std::size_t s = 0; s < all.size(); ++s) {
        steps.push_back(
            {all[s].operation, all[s].follow, a.data(), b.data(), c.data(), d.data(), out[s].data()});
      }

      element_loops().run(steps.data(), steps.size(), size);

      for (std::size_t s = 0; s < all.size(); ++s) {
        for (std::size_t i = 0; i < size; ++i) {
          const double expected = all[s].value(a[i], b[i], c[i], d[i]), made = out[s][i];
          const bool is_same = std::isnan(expected) ? std::isnan(made) : bits(made) == bits(expected);
          ASSERT_TRUE(is_same) << kernel->name << ", operation " << static_cast<int>(all[s].operation)
                               << " and " << static_cast<int>(all[s].follow) << " of " << a[i] << ", " << b[i]
                               << ", " << c[i] << " and " << d[i] << " is " << made << ", not " << expected;
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
  using enum ElementOperation;
  const ElementStep steps[] = {step(add, a, b, sum), step(multiply, sum, a, product),
                               step(subtract, product, b, result)};

  element_loops().run(steps, 3, size);

  for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(result[i], a[i] * a[i] + a[i] - 1);
}

TEST(ElementLoops, what_repeats_is_one_strip_long) {
  // (a + b) · a - b as above, with b and what lies between in one strip each, twice: step by step, and with
  // two operations in one.
  const std::size_t size = 2 * kElementStrip + 7;
  Values a(size), result(size), joined(size), b(kElementStrip, 1), sum(kElementStrip), product(kElementStrip);
  for (std::size_t i = 0; i < size; ++i) a[i] = static_cast<double>(i);
  using enum ElementOperation;
  ElementStep steps[] = {step(add, a, b, sum),          step(multiply, sum, a, product),
                         step(select, product, a, sum), step(subtract, sum, b, result),
                         step(add, a, b, product),      step(subtract, product, b, joined)};
  steps[0].repeats_b = steps[0].repeats_out = true;
  steps[1].repeats_a = steps[1].repeats_out = true;
  steps[2].repeats_a = steps[2].repeats_c = steps[2].repeats_out = true;
  steps[2].c = b.data();
  steps[3].repeats_a = steps[3].repeats_b = true;
  steps[4].repeats_b = steps[4].repeats_out = true;
  steps[4].follow = ElementFollow::multiplied;
  steps[4].c = a.data();
  steps[5].repeats_a = steps[5].repeats_b = true;

  element_loops().run(steps, std::size(steps), size);

  for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(result[i], a[i] * a[i] + a[i] - 1);
  EXPECT_EQ(joined, result);
}

TEST(ElementLoops, may_leave_results_where_operands_were) {
  const std::size_t size = 2 * kElementStrip + 7;
  Values a(size), b(size, 2), c(size, 3);
  for (std::size_t i = 0; i < size; ++i) a[i] = static_cast<double>(i);
  const ElementStep in_place{
      ElementOperation::multiply, ElementFollow::subtract, a.data(), b.data(), c.data(), a.data(), a.data()};

  element_loops().run(&in_place, 1, size);

  for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(a[i], 2.0 * static_cast<double>(i) - 3);
}

}  // namespace
}  // namespace pileus::detail
