// Reductions with weights: the same bytes by every path, in any order, and what is not finite. The values are
// checked against Python's fractions in python_cases_test.cpp.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "loops/testing/random_values.h"
#include "math/partials.h"
#include "math/weighted_means.h"

namespace pileus {
namespace {

using testing::below;
using testing::Random;
using Values = std::vector<double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<Reduction> weighted_reductions() {
  std::vector<Reduction> all;
  for (const ReductionDeclaration& declared : kDeclaredReductions)
    if (declared.is_weighted) all.push_back(declared.reduction);
  return all;
}

Partial of(Reduction reduction, const Values& x, const Values& y, const Values& weights) {
  Partial partial(reduction);
  partial.add_weighted({x}, {y}, weights);
  return partial;
}
Partial mean(const Values& x, const Values& weights) { return of(Reduction::weighted_mean, x, x, weights); }

std::vector<std::byte> bytes_of(const Partial& partial) {
  std::vector<std::byte> bytes;
  partial.encode(bytes);
  return bytes;
}
Partial sent(const Partial& partial) {
  const std::vector<std::byte> bytes = bytes_of(partial);
  std::span<const std::byte> in(bytes);
  Partial decoded = Partial::decode(in);
  EXPECT_TRUE(in.empty());
  return decoded;
}

TEST(Weights, give_what_the_textbook_says) {
  EXPECT_EQ(of(Reduction::weighted_sum, {1, 2}, {}, {3, 0.5}).value(), 4);
  EXPECT_EQ(mean({1, 2}, {3, 1}).value(), 1.25);
  EXPECT_EQ(of(Reduction::weighted_variance, {1, 3}, {}, {1, 3}).value(), 0.75);  // about 2.5
  EXPECT_EQ(of(Reduction::weighted_root_mean_square, {1, 7}, {}, {3, 3}).value(), 5);
  EXPECT_EQ(of(Reduction::weighted_covariance, {1, 3}, {5, 1}, {1, 3}).value(), -1.5);
}

TEST(Weights, that_are_all_one_make_what_has_none) {
  Random random(1);
  for (const ReductionDeclaration& declared : kDeclaredReductions) {
    if (!declared.with_weights) continue;
    Values x(300), y(300);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = testing::around_one(random, 60);
      y[i] = testing::around_one(random, 60);
    }
    Partial without(declared.reduction);
    declared.takes_pairs ? without.add_pairs({x}, {y}) : without.add(std::span<const double>(x));

    EXPECT_EQ(of(*declared.with_weights, x, y, Values(300, 1)).value(), without.value()) << declared.word;
    EXPECT_EQ(of(*declared.with_weights, x, y, Values(300, 0.3)).value(),
              declared.reduction == Reduction::sum
                  ? of(Reduction::weighted_sum, x, y, Values(300, 0.3)).value()
                  : without.value());
  }
}

TEST(Weights, give_equal_bytes_by_any_path) {
  Random random(2);
  for (int round = 0; round < 60; ++round) {
    const std::size_t size = 1 + below(random, 1500);
    const bool is_wide = round % 3 == 0;
    const auto value = [&] {
      return is_wide ? testing::any_finite(random) : testing::around_one(random, 90);
    };
    Values x(size), y(size), w(size);
    for (std::size_t i = 0; i < size; ++i) {
      x[i] = value(), y[i] = value();
      do w[i] = value();
      while (w[i] == 0);
    }
    if (round % 7 == 0) x[below(random, static_cast<unsigned>(size))] = round % 2 == 0 ? kInfinity : kNan;
    std::vector<std::size_t> order(size);
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::shuffle(order, random);
    for (const Reduction reduction : weighted_reductions()) {
      const Partial whole = of(reduction, x, y, w);
      Partial merged(reduction), begun(reduction);
      for (const std::size_t i : order) {
        Partial one = of(reduction, {x[i]}, {y[i]}, {w[i]});
        below(random, 2) == 0 ? merged.merge(sent(one))
                              : begun.add_weighted({{&x[i], 1}}, {{&y[i], 1}}, {&w[i], 1});
      }
      merged.merge(begun);

      EXPECT_EQ(bytes_of(merged), bytes_of(whole)) << word_of(reduction) << ", round " << round;
      EXPECT_EQ(bytes_of(sent(merged)), bytes_of(whole));
      EXPECT_EQ(merged.count(), static_cast<std::int64_t>(size));
    }
  }
}

TEST(Weights, products_of_three_doubles_are_exact_however_large) {
  constexpr double kLargest = std::numeric_limits<double>::max(), kLeast = 5e-324;
  EXPECT_EQ(of(Reduction::weighted_variance, {kLargest, -kLargest}, {}, {kLeast, kLeast}).value(), kInfinity);
  EXPECT_EQ(of(Reduction::weighted_standard_deviation, {kLargest, -kLargest}, {}, {kLeast, kLeast}).value(),
            kLargest);
  EXPECT_EQ(of(Reduction::weighted_root_mean_square, {kLeast, -kLeast}, {}, {kLeast, 3 * kLeast}).value(),
            kLeast);
  EXPECT_EQ(of(Reduction::weighted_root_mean_square, {kLargest, -kLargest}, {}, {kLargest, kLargest}).value(),
            kLargest);
  EXPECT_EQ(mean({kLeast, 3 * kLeast}, {kLargest, kLargest}).value(), 2 * kLeast);
}

TEST(Weights, that_are_zero_together_say_nothing) {
  for (const Reduction reduction : weighted_reductions()) {
    const bool is_sum = reduction == Reduction::weighted_sum;
    for (const Partial& partial : {Partial(reduction), of(reduction, {1, 2}, {1, 2}, {-3, 3})}) {
      EXPECT_EQ(partial.is_of_nothing(), !is_sum);
      EXPECT_EQ(std::isnan(partial.value()), !is_sum) << word_of(reduction);
      EXPECT_EQ(partial.exact().has_value(), is_sum);
      EXPECT_EQ(bytes_of(sent(partial)), bytes_of(partial));
    }
  }
  EXPECT_EQ(of(Reduction::weighted_sum, {1, 2}, {}, {-3, 3}).value(), 3);
}

TEST(Weights, values_that_are_not_finite_are_as_ieee_has_them) {
  EXPECT_EQ(mean({1, kInfinity}, {1, 2}).value(), kInfinity);
  EXPECT_EQ(mean({1, kInfinity}, {3, -2}).value(), -kInfinity);
  EXPECT_EQ(mean({1, kInfinity}, {1, -2}).value(), kInfinity);  // the weights are -1 together
  EXPECT_EQ(of(Reduction::weighted_sum, {1, kInfinity}, {}, {1, -2}).value(), -kInfinity);
  EXPECT_TRUE(std::isnan(mean({kInfinity, -kInfinity}, {1, 2}).value()));
  EXPECT_TRUE(std::isnan(mean({1, kNan}, {1, 2}).value()));
  for (const double odd : {kInfinity, -kInfinity, kNan}) {
    for (const Reduction reduction : weighted_reductions()) {
      EXPECT_TRUE(std::isnan(of(reduction, {1, 2}, {1, 2}, {1, odd}).value())) << word_of(reduction);
      EXPECT_FALSE(of(reduction, {1, odd}, {1, 2}, {1, 2}).exact().has_value());
      if (declaration_of(reduction).keeps == Keeps::weighted && !declaration_of(reduction).is_about_mean &&
          !declaration_of(reduction).is_root)
        continue;
      EXPECT_TRUE(std::isnan(of(reduction, {1, odd}, {1, 2}, {1, 2}).value())) << word_of(reduction);
    }
    EXPECT_TRUE(std::isnan(of(Reduction::weighted_covariance, {1, 2}, {1, odd}, {1, 2}).value()));
  }
}

TEST(Weights, that_are_negative_may_leave_no_root) {
  EXPECT_EQ(of(Reduction::weighted_variance, {0, 1}, {}, {3, -1}).value(), -0.75);
  EXPECT_TRUE(std::isnan(of(Reduction::weighted_standard_deviation, {0, 1}, {}, {3, -1}).value()));
}

TEST(Weights, a_factor_scales_what_they_make) {
  Partial scaled = mean({1, 2}, {3, 1});
  scaled.multiply(-6);
  scaled.divide(5);
  EXPECT_EQ(scaled.value(), -1.5);
  EXPECT_EQ(bytes_of(sent(scaled)), bytes_of(scaled));
}

TEST(Weights, large_integers_count_as_they_are) {
  const Values upper = {0x1p62, 0x1p62}, lower = {1, 3}, weights = {1, 1};
  Partial variance(Reduction::weighted_variance);
  variance.add_weighted({upper, lower}, {}, weights);
  EXPECT_EQ(variance.value(), 1);
}

TEST(Weights, means_over_time_of_equal_weights_are_rounded_once) {
  const Values weights = {0.1, 0.7, 0.3};
  WeightedMeans means(1);
  ExactWeightedMean expected;
  Random random(3);
  for (int step = 0; step < 50; ++step) {
    const Values x = {testing::around_one(random, 5), testing::around_one(random, 5), 0.1};
    const Partial partial = mean(x, weights);
    means.add(0.1 * (step + 1), Partials(Reduction::weighted_mean, std::span(&partial, 1)));
    expected.add(0.1 * (step + 1), partial);
  }
  EXPECT_EQ(means.means(0)[0], expected.value());
  EXPECT_EQ(expected.allocated_bytes() > 0, true);
}

TEST(Weights, side_by_side_are_what_they_are_alone) {
  for (const Reduction reduction : weighted_reductions()) {
    const std::vector<Partial> each = {of(reduction, {1, 2}, {3, 5}, {0.5, 7}), Partial(reduction),
                                       of(reduction, {kNan}, {1}, {2})};
    Partials partials(reduction, each);
    partials.merge(partials);
    std::vector<std::byte> bytes;
    partials.encode(bytes);
    std::span<const std::byte> in(bytes);
    const Partials decoded = Partials::decode(in, each.size());

    EXPECT_TRUE(in.empty());
    EXPECT_TRUE(partials.has_second_moments());
    for (std::size_t i = 0; i < each.size(); ++i) {
      Partial twice = each[i];
      twice.merge(each[i]);
      EXPECT_EQ(bytes_of(decoded[i]), bytes_of(twice)) << word_of(reduction) << " " << i;
      EXPECT_EQ(decoded.is_of_nothing(i), twice.is_of_nothing());
    }
  }
}

TEST(Weights, damaged_bytes_are_refused) {
  const Partial partial = of(Reduction::weighted_covariance, {1, 2}, {3, 4}, {5, 6});
  const std::vector<std::byte> bytes = bytes_of(partial);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    std::span<const std::byte> cut(bytes.data(), size);
    EXPECT_THROW(Partial::decode(cut), std::invalid_argument) << size;
  }
  std::vector<std::byte> of_nothing = bytes;
  std::fill_n(of_nothing.begin() + 1, 8, std::byte{0});  // the count
  std::span<const std::byte> in(of_nothing);
  EXPECT_THROW(Partial::decode(in), std::invalid_argument);
}

}  // namespace
}  // namespace pileus
