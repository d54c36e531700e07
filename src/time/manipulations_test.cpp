// accumulated, minimum, maximum and variance; each on samples that are small enough to check by hand.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "core/error.h"
#include "time/manipulations/list.h"
#include "time/window.h"

namespace pileus {
namespace {

using Values = std::vector<double>;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Array row(Values values) {
  const auto size = static_cast<Index>(values.size());
  return make_array(std::move(values), {size});
}

Sample total_of(const Values& values) {
  Partial partial(Reduction::sum);
  partial.add(std::span<const double>(values));
  return PartialArray{{}, std::make_shared<Partials>(Reduction::sum, std::span(&partial, 1))};
}

Values record_of(Window& window) {
  const std::optional<Array> record = window.take_record();
  if (!record) return {-999};
  const auto values = record->as<double>();
  return {values.begin(), values.end()};
}

std::vector<Manipulation> manipulations_of_periods() {
  std::vector<Manipulation> all = all_manipulations();
  std::erase_if(all, [](const Manipulation& one) { return !one.covers_window() || one->is_of_segments; });
  return all;
}

/// Exact windows and running ones.
class Manipulations : public ::testing::TestWithParam<bool> {
 protected:
  std::unique_ptr<Window> window(Manipulation manipulation) const {
    return make_window(manipulation, GetParam());
  }
};
INSTANTIATE_TEST_SUITE_P(, Manipulations, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "exact" : "running"; });

TEST_P(Manipulations, accumulated_is_the_integral_of_the_samples_over_the_window) {
  const auto accumulated = window(manipulations::accumulated());

  accumulated->add(row({1, -4}), 2);
  accumulated->add(row({10, 0.5}), 0.5);

  EXPECT_EQ(record_of(*accumulated), (Values{7, -7.75}));  // 2·1 + 0.5·10, 2·(-4) + 0.5·0.5
}

TEST_P(Manipulations, what_is_missing_counts_for_nothing_and_nothing_gives_the_fill_value) {
  const double fill = 0x1.ep+122;
  const auto of_present = [](Manipulation manipulation) {
    const auto window = make_window(manipulation, GetParam(), -1.0);
    window->add(row({1, -1, -1, 4}), 2);
    window->add(row({-1, 3, -1, 2}), 1);
    window->add(row({5, 7, -1, -1}), 1);
    return record_of(*window);
  };

  EXPECT_EQ(of_present(manipulations::accumulated()),
            (Values{7, 10, fill, 10}));  // 2·1 + 5, 3 + 7, -, 2·4 + 2
  EXPECT_EQ(of_present(manipulations::minimum()), (Values{1, 3, fill, 2}));
  EXPECT_EQ(of_present(manipulations::maximum()), (Values{5, 7, fill, 4}));
  EXPECT_EQ(of_present(manipulations::range()), (Values{4, 4, fill, 2}));
  // Of 1, 1, 5: mean 7/3, mean square 9, 9 - 49/9; of 3, 7: 4; of 4, 4, 2: mean 10/3, 12 - 100/9.
  const Values variances = of_present(manipulations::variance());
  EXPECT_DOUBLE_EQ(variances[0], 32.0 / 9);
  EXPECT_EQ(variances[1], 4);
  EXPECT_EQ(variances[2], fill);
  EXPECT_DOUBLE_EQ(variances[3], 8.0 / 9);
  // Mean squares: (2·1 + 25) / 3, (9 + 49) / 2, -, (2·16 + 4) / 3.
  EXPECT_EQ(of_present(manipulations::root_mean_square()),
            (Values{3, std::sqrt(29.0), fill, std::sqrt(12.0)}));
}

TEST_P(Manipulations, minimum_and_maximum_take_samples_of_some_weight) {
  const auto minimum = window(manipulations::minimum()), maximum = window(manipulations::maximum());

  for (Window* one : {minimum.get(), maximum.get()}) {
    one->add(row({3, -1}), 1);
    one->add(row({2, 5}), 0.25);
    one->add(row({-100, 100}), 0);  // stands for nothing of this window
  }

  EXPECT_EQ(record_of(*minimum), (Values{2, -1}));
  EXPECT_EQ(record_of(*maximum), (Values{3, 5}));
}

TEST_P(Manipulations, extremes_know_the_sign_of_zero_and_keep_nan) {
  const auto minimum = window(manipulations::minimum()), maximum = window(manipulations::maximum());

  for (Window* one : {minimum.get(), maximum.get()}) {
    one->add(row({0.0, 1, kNan}), 1);
    one->add(row({-0.0, kNan, 1}), 1);
    one->add(row({0.0, 2, 2}), 1);
  }

  const Values smallest = record_of(*minimum), largest = record_of(*maximum);
  EXPECT_TRUE(std::signbit(smallest[0]));
  EXPECT_FALSE(std::signbit(largest[0]));
  for (std::size_t i : {1U, 2U}) EXPECT_TRUE(std::isnan(smallest[i]) && std::isnan(largest[i]));
}

TEST_P(Manipulations, extremes_keep_the_type_of_their_samples) {
  const auto owner = std::make_shared<std::vector<std::int64_t>>(std::vector<std::int64_t>{(1LL << 53) + 1});
  const Array large{
      ElementType::int64,
      {1},
      std::shared_ptr<const std::byte>(owner, reinterpret_cast<const std::byte*>(owner->data()))};
  const auto maximum = window(manipulations::maximum());

  maximum->add(large, 1);
  const std::optional<Array> record = maximum->take_record();

  ASSERT_TRUE(record && record->type == ElementType::int64);
  EXPECT_EQ(record->as<std::int64_t>()[0], (1LL << 53) + 1);
}

TEST_P(Manipulations, range_is_the_largest_minus_the_smallest_sample) {
  const auto range = window(manipulations::range());
  const double infinity = std::numeric_limits<double>::infinity();

  range->add(row({3, -1, 7, 1, -infinity}), 1);
  range->add(row({2, 5, 7, kNan, 0}), 0.25);
  range->add(row({2.5, 6.5, 7, 9, 1}), 1);
  range->add(row({-100, 100, 0, 0, 0}), 0);  // stands for nothing of this window

  const Values ranges = record_of(*range);
  EXPECT_EQ(Values(ranges.begin(), ranges.begin() + 3), (Values{1, 7.5, 0}));
  EXPECT_TRUE(std::isnan(ranges[3]));
  EXPECT_EQ(ranges[4], infinity);
}

TEST_P(Manipulations, percentiles_of_many_samples_are_near_those_of_all) {
  const auto low = window(manipulations::percentile_10()), middle = window(manipulations::median());
  for (int i = 0; i < 1000; ++i) {
    const double sample = 256 + 50.0 * (i * 617 % 1000) / 999;  // each of 1000 values once
    low->add(row({sample}), 1 + i % 3);
    middle->add(row({sample}), 1 + i % 3);
  }
  EXPECT_NEAR(record_of(*low)[0], 261, 50.0 / 127);
  EXPECT_NEAR(record_of(*middle)[0], 281, 50.0 / 127);
  EXPECT_LE(middle->most_bytes(), manipulations::median().element_bytes());
  middle->add(row({3}), 1);
  middle->add(row({4}), 9);
  EXPECT_EQ(record_of(*middle)[0], 3.5);
}

TEST_P(Manipulations, variance_is_that_of_the_population_weighted_by_time) {
  const auto variance = window(manipulations::variance());

  variance->add(row({1, 7}), 1);
  variance->add(row({5, 7}), 3);

  // Mean 4: (1·9 + 3·1) / 4 = 3.
  EXPECT_EQ(record_of(*variance), (Values{3, 0}));
}

TEST_P(Manipulations, root_mean_square_of_a_constant_is_that_constant) {
  const auto root = window(manipulations::root_mean_square());
  for (int i = 0; i < 3; ++i) root->add(row({784.22356043460059, -0.1}), 0.1);
  EXPECT_EQ(record_of(*root), (Values{784.22356043460059, 0.1}));
}

TEST_P(Manipulations, root_mean_square_weighs_the_squares_by_time) {
  const auto root = window(manipulations::root_mean_square());
  const double infinity = std::numeric_limits<double>::infinity();

  root->add(row({1, -3, 1, kNan, infinity, 0}), 1);
  root->add(row({-7, 3, 3, 1, 1, -0.0}), 1);
  root->add(row({1e300, 5, 5, kNan, 1, 1}), 0);  // stands for nothing of this window

  const Values roots = record_of(*root);
  // (1 + 49) / 2 = 25, (9 + 9) / 2 = 9, (1 + 9) / 2 = 5.
  EXPECT_EQ(Values(roots.begin(), roots.begin() + 3), (Values{5, 3, std::sqrt(5.0)}));
  EXPECT_TRUE(std::isnan(roots[3]));
  EXPECT_EQ(roots[4], infinity);
  EXPECT_EQ(roots[5], 0);
  EXPECT_FALSE(std::signbit(roots[5]));
}

TEST_P(Manipulations, variance_of_small_deviations_from_a_large_mean_keeps_its_bits) {
  const auto variance = window(manipulations::variance());
  const double large = 1e9;

  variance->add(row({large}), 2);
  variance->add(row({large + 0.25}), 2);

  EXPECT_EQ(record_of(*variance), (Values{0.015625}));  // 0.125²
}

/// Σ w x² / Σ w − (Σ w x / Σ w)² of whole numbers, exact until the division at the end.
double variance_of(const std::vector<std::int64_t>& x, const std::vector<std::int64_t>& w) {
  __int128 weight = 0, sum = 0, squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    weight += w[i];
    sum += static_cast<__int128>(w[i]) * x[i];
    squares += static_cast<__int128>(w[i]) * x[i] * x[i];
  }
  const auto n = static_cast<double>(weight);
  return static_cast<double>(weight * squares - sum * sum) / n / n;
}

TEST_P(Manipulations, variance_around_a_mean_far_from_the_first_sample_keeps_its_bits) {
  // Deviations are taken from the first sample. Here that is an outlier that weighs next to nothing, so that
  // 36 bits of the sums cancel: what both doubles of each of them hold is needed, with its sign.
  std::mt19937_64 random(5);
  for (int run = 0; run < 200; ++run) {
    std::vector<std::int64_t> x = {0}, w = {1};
    for (int i = 0; i < 50; ++i) {
      x.push_back(1'000'000 + static_cast<std::int64_t>(random() % 3));
      w.push_back(static_cast<std::int64_t>(1'000'000'000 + random() % 100'000'000));
    }
    w[0] = run % 2 == 0 ? 1 : 30;
    const auto variance = window(manipulations::variance());

    for (std::size_t i = 0; i < x.size(); ++i)
      variance->add(row({static_cast<double>(x[i])}), std::ldexp(static_cast<double>(w[i]), -30));

    const double expected = variance_of(x, w);
    ASSERT_NEAR(record_of(*variance)[0], expected, 4 * std::numeric_limits<double>::epsilon() * expected);
  }
}

Array integers(const std::vector<std::int64_t>& values) {
  const auto owner = std::make_shared<std::vector<std::int64_t>>(values);
  return {ElementType::int64,
          {static_cast<Index>(values.size())},
          std::shared_ptr<const std::byte>(owner, reinterpret_cast<const std::byte*>(owner->data()))};
}

TEST_P(Manipulations, means_count_integers_as_they_are_also_beyond_doubles) {
  constexpr std::int64_t kOdd = (std::int64_t{1} << 53) + 1;  // no double
  const auto averaged = window(manipulations::averaged());

  for (const std::int64_t value : {kOdd, kOdd, 1 - kOdd}) averaged->add(integers({value, 3}), 1);

  EXPECT_EQ(record_of(*averaged), (Values{(0x1p53 + 2) / 3, 3}));
}

TEST(ExactManipulations, count_integers_as_they_are_also_beyond_doubles) {
  constexpr std::int64_t kLarge = (std::int64_t{1} << 62) + 1;
  const auto variance = make_window(manipulations::variance(), true);
  const auto accumulated = make_window(manipulations::accumulated(), true);

  for (const std::int64_t value : {kLarge, kLarge + 3}) variance->add(integers({value}), 1);
  for (const std::int64_t value : {kLarge, -kLarge + 7}) accumulated->add(integers({value}), 1);

  EXPECT_EQ(record_of(*variance), Values{2.25});
  EXPECT_EQ(record_of(*accumulated), Values{7});
}

TEST_P(Manipulations, windows_are_empty_when_their_record_was_taken) {
  for (Manipulation manipulation : manipulations_of_periods()) {
    const auto one = window(manipulation);
    one->add(row({5}), 1);
    record_of(*one);

    EXPECT_EQ(record_of(*one), Values{-999});
    one->add(Absent{}, 1);
    EXPECT_EQ(record_of(*one), Values{-999});
    one->add(row({1}), 2);
    EXPECT_EQ(record_of(*one).size(), 1U);
  }
}

TEST_P(Manipulations, a_shape_that_changes_is_an_error) {
  for (Manipulation manipulation : manipulations_of_periods()) {
    const auto one = window(manipulation);
    one->add(row({5}), 1);

    EXPECT_THROW(one->add(row({5, 6}), 1), UsageError);
  }
}

TEST(ExactManipulations, partials_are_rounded_once) {
  const auto accumulated = make_window(manipulations::accumulated(), true);
  const auto variance = make_window(manipulations::variance(), true);

  for (Window* one : {accumulated.get(), variance.get()}) {
    one->add(total_of({0x1p60, 1}), 1);  // 2^60 + 1 is no double
    one->add(total_of({0x1p60, -1}), 1);
  }

  EXPECT_EQ(record_of(*accumulated), Values{0x1p61});
  EXPECT_EQ(record_of(*variance), Values{1});
}

TEST(ExactManipulations, root_mean_square_is_rounded_once_whatever_the_order_of_the_samples) {
  // Squares of 2^52 + 1 hold 105 bits, those of 1e200 are none of double.
  const auto forwards = make_window(manipulations::root_mean_square(), true);
  const auto backwards = make_window(manipulations::root_mean_square(), true);
  const std::vector<double> samples = {0x1p52 + 1, 0x1p-30, -0x1p52 - 1, 1e200, 0.1, -1e200};

  for (std::size_t i = 0; i < samples.size(); ++i) forwards->add(row({samples[i]}), 0.1 * (1.0 + i));
  for (std::size_t i = samples.size(); i-- > 0;) backwards->add(row({samples[i]}), 0.1 * (1.0 + i));

  EXPECT_EQ(record_of(*forwards), record_of(*backwards));
}

TEST(ExactManipulations, root_mean_square_takes_partials_and_integers_beyond_doubles_as_they_are) {
  const auto root = make_window(manipulations::root_mean_square(), true);
  constexpr std::int64_t kLarge = (std::int64_t{1} << 62) + 1;

  root->add(total_of({0x1p60, 1}), 1);  // 2^60 + 1 is no double
  const Values of_partial = record_of(*root);
  root->add(integers({kLarge}), 1);
  root->add(integers({-kLarge}), 2);

  EXPECT_EQ(of_partial, Values{0x1p60});
  EXPECT_EQ(record_of(*root), Values{0x1p62});
}

TEST(Declarations, of_manipulations_have_the_names_of_the_list) {
  std::vector<std::string> names;
  for (const Manipulation& one : all_manipulations()) names.emplace_back(one->name);

  EXPECT_EQ(names, manipulation_words());
}

/// A mean over `count` values of 1.
Sample mean_of_ones(std::size_t count) {
  Partial partial(Reduction::mean);
  partial.add(std::span<const double>(Values(count, 1)));
  return PartialArray{{}, std::make_shared<Partials>(Reduction::mean, std::span(&partial, 1))};
}

// A mean over another number of values has another denominator, of which an exact window has a sum by itself.
TEST(ExactElements, count_the_memory_of_their_sums_too) {
  for (const Manipulation manipulation : {manipulations::variance(), manipulations::root_mean_square()}) {
    const auto window = make_window(manipulation, true);
    window->add(mean_of_ones(2), 1);
    const std::size_t with_one_sum = window->most_bytes();

    for (const std::size_t count : {3, 5, 7, 11}) window->add(mean_of_ones(count), 1);
    const std::size_t with_five_sums = window->most_bytes();
    window->take_record();
    window->add(mean_of_ones(2), 1);

    EXPECT_GE(with_one_sum, 2 * sizeof(ExactNumber));
    EXPECT_GE(with_five_sums, with_one_sum + 4 * 2 * sizeof(ExactNumber));
    EXPECT_EQ(window->most_bytes(), with_five_sums) << "the most, not what is held now";
  }
}

}  // namespace
}  // namespace pileus
