#include "time/window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "core/error.h"
#include "time/manipulations/list.h"

namespace pileus {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <class T>
constexpr ElementType kTypeOf = ElementType::float64;
template <>
constexpr ElementType kTypeOf<float> = ElementType::float32;
template <>
constexpr ElementType kTypeOf<std::int32_t> = ElementType::int32;
template <>
constexpr ElementType kTypeOf<std::int64_t> = ElementType::int64;

/// A one-dimensional array.
template <class T>
Array row(std::vector<T> values) {
  auto owner = std::make_shared<std::vector<T>>(std::move(values));
  const auto* first = reinterpret_cast<const std::byte*>(owner->data());
  return {kTypeOf<T>, {static_cast<Index>(owner->size())}, std::shared_ptr<const std::byte>(owner, first)};
}

Array row(std::initializer_list<double> values) { return row(std::vector<double>(values)); }

Partial partial_of(Reduction reduction, const std::vector<double>& values) {
  Partial partial(reduction);
  partial.add(std::span<const double>(values));
  return partial;
}

PartialArray partials(std::vector<Partial> values) {
  const auto size = static_cast<Index>(values.size());
  const Reduction reduction = values.empty() ? Reduction::sum : values.front().reduction();
  return {{size}, std::make_shared<Partials>(reduction, values)};
}

std::vector<double> values_of(const std::optional<Array>& record) {
  if (!record || record->type != ElementType::float64) return {-999};
  const auto values = record->as<double>();
  return {values.begin(), values.end()};
}

using Values = std::vector<double>;

// ---- instantaneous and none ----

template <class T>
class LastSample : public testing::Test {};
using ElementTypes = testing::Types<double, float, std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(LastSample, ElementTypes);

TYPED_TEST(LastSample, is_handed_on_as_it_came) {
  const auto window = make_window(manipulations::instantaneous(), false);
  const Array sample = row(std::vector<TypeParam>{1, 2, 3});

  window->add(sample, 0);
  const std::optional<Array> record = window->take_record();

  ASSERT_TRUE(record);
  EXPECT_EQ(record->type, sample.type);
  EXPECT_EQ(record->extents, sample.extents);
  EXPECT_EQ(record->bytes, sample.bytes);  // not a copy
}

TEST(LastSampleWindow, keeps_the_last_of_several_samples_and_is_empty_afterwards) {
  for (Manipulation manipulation : {manipulations::instantaneous(), manipulations::none()}) {
    const auto window = make_window(manipulation, true);

    window->add(row({1, 2}), 0);
    window->add(row({3, 4, 5}), 0);

    EXPECT_EQ(values_of(window->take_record()), (Values{3, 4, 5}));
    EXPECT_FALSE(window->take_record());
  }
}

TEST(LastSampleWindow, has_no_record_where_the_sample_is_absent) {
  const auto window = make_window(manipulations::instantaneous(), false);

  EXPECT_FALSE(window->take_record());
  window->add(row({1}), 0);
  window->add(Absent{}, 0);
  EXPECT_FALSE(window->take_record());
}

TEST(LastSampleWindow, rounds_partials) {
  const auto window = make_window(manipulations::instantaneous(), true);

  window->add(partials({partial_of(Reduction::sum, {1e16, 1, -1e16})}), 0);
  EXPECT_EQ(values_of(window->take_record()), Values{1});  // which plain additions lose

  window->add(partials({partial_of(Reduction::mean, {1, 1, 0})}), 0);
  EXPECT_EQ(values_of(window->take_record()), Values{2.0 / 3});
}

TEST(LastSampleWindow, gives_an_empty_array_for_an_empty_array) {
  const auto window = make_window(manipulations::none(), false);

  window->add(row({}), 0);

  EXPECT_EQ(values_of(window->take_record()), Values{});
}

// ---- averaged ----

/// The parameter: whether sums are exact.
class Average : public testing::TestWithParam<bool> {
 protected:
  const std::unique_ptr<Window> window_ = make_window(manipulations::averaged(), GetParam());
};
INSTANTIATE_TEST_SUITE_P(both_kinds, Average, testing::Bool(),
                         [](const testing::TestParamInfo<bool>& is_exact) {
                           return std::string(is_exact.param ? "exact" : "running");
                         });

TEST_P(Average, weights_each_sample_by_its_time) {
  window_->add(row({1, 2, -4}), 1);
  window_->add(row({3, 6, 0}), 3);

  // (1 + 9) / 4, (2 + 18) / 4, (-4 + 0) / 4
  EXPECT_EQ(values_of(window_->take_record()), (Values{2.5, 5, -1}));
}

TEST_P(Average, of_one_sample_is_the_sample) {
  window_->add(row({0.1, -1e300, 1e-290, 0}), 0.3);

  EXPECT_EQ(values_of(window_->take_record()), (Values{0.1, -1e300, 1e-290, 0}));
}

TEST_P(Average, of_a_constant_is_the_constant_though_its_weights_are_rounded) {
  for (double weight_s : {0.1, 0.2, 0.3, 1e-9, 1e5, 1.7999999999999972}) window_->add(row({0.1}), weight_s);

  EXPECT_EQ(values_of(window_->take_record()), Values{0.1});
}

TEST_P(Average, is_the_nearest_double_to_a_fraction) {
  window_->add(row({1, 1, 0}), 1);
  window_->add(row({2, 0, 0}), 2);
  window_->add(row({4, 0, 1}), 4);

  // (1 + 4 + 16) / 7, 1 / 7, 4 / 7
  EXPECT_EQ(values_of(window_->take_record()), (Values{3, 1.0 / 7, 4.0 / 7}));
}

TEST_P(Average, keeps_what_plain_sums_lose) {
  window_->add(row({1e16}), 1);
  window_->add(row({1}), 1);
  window_->add(row({-1e16}), 2);
  window_->add(row({1e16}), 1);

  EXPECT_EQ(values_of(window_->take_record()), Values{0.2});  // 1 / 5
}

TEST_P(Average, takes_numbers_of_each_type_and_gives_doubles) {
  const Values expected{0.75, -1.5};  // (3 + 0) / 4, (-3 - 3) / 4

  window_->add(row(std::vector<double>{3, -3}), 1);
  window_->add(row(std::vector<double>{0, -1}), 3);
  const Values of_doubles = values_of(window_->take_record());
  window_->add(row(std::vector<float>{3, -3}), 1);
  window_->add(row(std::vector<float>{0, -1}), 3);
  const Values of_floats = values_of(window_->take_record());
  window_->add(row(std::vector<std::int32_t>{3, -3}), 1);
  window_->add(row(std::vector<std::int32_t>{0, -1}), 3);
  const Values of_integers = values_of(window_->take_record());
  window_->add(row(std::vector<std::int64_t>{std::int64_t{1} << 60}), 1);
  window_->add(row(std::vector<std::int64_t>{-(std::int64_t{1} << 60)}), 3);
  const Values of_long_integers = values_of(window_->take_record());

  EXPECT_EQ(of_doubles, expected);
  EXPECT_EQ(of_floats, expected);
  EXPECT_EQ(of_integers, expected);
  EXPECT_EQ(of_long_integers, Values{-0x1p59});  // 2^60 (1 - 3) / 4
}

TEST_P(Average, takes_a_float_for_exactly_what_it_is) {
  window_->add(row(std::vector<float>{0.1F}), 7);

  EXPECT_EQ(values_of(window_->take_record()), Values{static_cast<double>(0.1F)});
}

TEST_P(Average, takes_partials_of_each_reduction) {
  const std::pair<Reduction, double> expected[] = {
      {Reduction::sum, 1.5}, {Reduction::mean, 0.75}, {Reduction::min, 0.5}, {Reduction::max, 1}};
  for (const auto& [reduction, value] : expected) {
    window_->add(partials({partial_of(reduction, {1, 2})}), 2);
    window_->add(row({0}), 2);

    EXPECT_EQ(values_of(window_->take_record()), Values{value});
  }
}

TEST_P(Average, takes_partials_with_factors) {
  Partial quarter = partial_of(Reduction::sum, {1, 2});
  quarter.divide(12);

  window_->add(partials({quarter}), 3);
  window_->add(row({1.125}), 2);

  EXPECT_EQ(values_of(window_->take_record()), Values{0.6});  // (3 / 4 + 9 / 4) / 5
}

TEST_P(Average, keeps_the_shape) {
  Array square = row({1, 2, 3, 4});
  square.extents = {2, 2};

  window_->add(square, 1);

  EXPECT_EQ(window_->take_record()->extents, (std::vector<Index>{2, 2}));
}

TEST_P(Average, of_a_scalar_is_a_scalar) {
  window_->add(make_array({4}, {}), 1);
  window_->add(make_array({8}, {}), 1);
  const std::optional<Array> record = window_->take_record();

  EXPECT_EQ(record->extents, std::vector<Index>{});
  EXPECT_EQ(values_of(record), Values{6});
}

TEST_P(Average, is_absent_where_all_samples_were) {
  EXPECT_FALSE(window_->take_record());
  window_->add(Absent{}, 1);
  window_->add(Absent{}, 2);
  EXPECT_FALSE(window_->take_record());
}

TEST_P(Average, is_that_of_the_samples_that_were_there) {
  window_->add(Absent{}, 5);
  window_->add(row({1}), 1);
  window_->add(Absent{}, 7);
  window_->add(row({4}), 2);

  EXPECT_EQ(values_of(window_->take_record()), Values{3});  // (1 + 8) / 3
}

TEST_P(Average, leaves_out_samples_without_weight) {
  window_->add(row({100}), 0);
  EXPECT_FALSE(window_->take_record());

  window_->add(row({1}), 1);
  window_->add(row({kNan}), 0);
  EXPECT_EQ(values_of(window_->take_record()), Values{1});
}

TEST_P(Average, starts_afresh_after_a_record) {
  window_->add(row({10}), 1);
  window_->take_record();

  EXPECT_FALSE(window_->take_record());
  window_->add(row({1, 2}), 1);  // of another shape, even
  window_->add(row({2, 4}), 1);
  EXPECT_EQ(values_of(window_->take_record()), (Values{1.5, 3}));
}

TEST_P(Average, refuses_a_sample_of_another_shape) {
  window_->add(row({1, 2, 3, 4}), 1);
  Array square = row({1, 2, 3, 4});
  square.extents = {2, 2};

  EXPECT_THROW(window_->add(row({1, 2}), 1), UsageError);
  EXPECT_THROW(window_->add(square, 1), UsageError);
  EXPECT_THROW(window_->add(make_array({1}, {}), 1), UsageError);
  window_->add(row({3, 2, 1, 0}), 1);

  EXPECT_EQ(values_of(window_->take_record()), (Values{2, 2, 2, 2}));  // the refused ones left nothing behind
}

TEST_P(Average, of_empty_arrays_is_an_empty_array) {
  window_->add(row({}), 1);
  EXPECT_THROW(window_->add(row({1}), 1), UsageError);
  window_->add(row({}), 1);

  EXPECT_EQ(values_of(window_->take_record()), Values{});
  EXPECT_FALSE(window_->take_record());
}

TEST_P(Average, keeps_nan_and_infinity_to_their_points) {
  window_->add(row({1, kNan, 1, kInfinity, kInfinity}), 1);
  window_->add(row({3, 1, -kInfinity, 1, -kInfinity}), 1);
  window_->add(row({2, 1, 5, 1, 5}), 1);
  const Values means = values_of(window_->take_record());

  ASSERT_EQ(means.size(), 5U);
  EXPECT_EQ(means[0], 2);
  EXPECT_TRUE(std::isnan(means[1]));
  EXPECT_EQ(means[2], -kInfinity);
  EXPECT_EQ(means[3], kInfinity);
  EXPECT_TRUE(std::isnan(means[4]));
}

TEST(ExactAverage, rounds_a_mean_of_means_once) {
  const auto window = make_window(manipulations::averaged(), true);

  // (1/3 + 1/7 + 11/21) / 3 = (7 + 3 + 11) / 63 = 1/3, though none of the three is a double.
  window->add(partials({partial_of(Reduction::mean, {1, 0, 0})}), 0.1);
  window->add(partials({partial_of(Reduction::mean, {1, 0, 0, 0, 0, 0, 0})}), 0.1);
  Partial eleven = partial_of(Reduction::sum, {11});
  eleven.divide(21);
  window->add(partials({eleven}), 0.1);

  EXPECT_EQ(values_of(window->take_record()), Values{1.0 / 3});
}

TEST(ExactAverage, keeps_numbers_below_the_normal_range) {
  const auto window = make_window(manipulations::averaged(), true);

  window->add(row({5e-324}), 0.3);

  EXPECT_EQ(values_of(window->take_record()), Values{5e-324});
}

TEST(ExactAverage, does_not_depend_on_the_order_of_its_samples) {
  const auto window = make_window(manipulations::averaged(), true);
  std::mt19937_64 random(3);
  std::vector<std::pair<double, double>> samples;
  for (int i = 0; i < 20; ++i) {
    samples.emplace_back(std::ldexp(double(random() % 1000 + 1), -7),
                         std::ldexp(double(random() >> 11), int(i * 3)));
  }
  auto mean = [&] {
    for (const auto& [weight_s, value] : samples) window->add(row({value}), weight_s);
    return values_of(window->take_record());
  };

  const Values first = mean();
  for (int i = 0; i < 50; ++i) {
    std::shuffle(samples.begin(), samples.end(), random);
    ASSERT_EQ(mean(), first);
  }
}

#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 Quad;

/// Half a unit in the last place of `value`, and the errors of the sums: 2^-100 of what was added.
Quad allowance(double value, Quad added) {
  const double size = std::abs(value);
  const double unit = std::nextafter(size, kInfinity) - size;
  return Quad(unit) / 2 + added * Quad(0x1p-100);
}

TEST_P(Average, is_within_half_a_unit_of_a_sum_in_113_bits) {
  std::mt19937_64 random(17);
  for (int run = 0; run < 3000; ++run) {
    const auto count = 1 + random() % 30;
    const int spread = run % 3 == 0 ? 0 : run % 3 == 1 ? 20 : 60;
    Quad sum = 0, added = 0, weights = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const int exponent = spread == 0 ? 0 : static_cast<int>(random() % spread) - spread / 2;
      const double value = std::ldexp(double(std::int64_t(random())), exponent - 63);
      const double weight_s = std::ldexp(double(random() >> 11) + 1, -53) * (run % 2 == 0 ? 1 : 3600);
      window_->add(row({value}), weight_s);
      const Quad product = Quad(weight_s) * Quad(value);
      sum += product;
      added += product < 0 ? -product : product;
      weights += Quad(weight_s);
    }

    const double mean = values_of(window_->take_record())[0];

    const Quad difference = Quad(mean) - sum / weights;
    ASSERT_LE(double(difference < 0 ? -difference : difference), double(allowance(mean, added / weights)))
        << "run " << run;
  }
}
#endif

constexpr double kFill = 9.9692099683868690e+36;  // NC_FILL_DOUBLE

Array floats(std::vector<float> values) {
  auto owner = std::make_shared<std::vector<float>>(std::move(values));
  const auto* first = reinterpret_cast<const std::byte*>(owner->data());
  return {ElementType::float32,
          {static_cast<Index>(owner->size())},
          std::shared_ptr<const std::byte>(owner, first)};
}

TEST(MissingValues, do_not_count_in_averages) {
  for (const bool is_exact : {true, false}) {
    const auto window = make_window(manipulations::averaged(), is_exact, -1.5);

    window->add(floats({1, -1.5F, -1.5F}), 1);
    window->add(floats({4, 7, -1.5F}), 2);

    const auto record = window->take_record();
    ASSERT_TRUE(record);
    EXPECT_EQ(record->as<double>()[0], 3);  // (1*1 + 2*4) / 3
    EXPECT_EQ(record->as<double>()[1], 7);  // of its only sample
    EXPECT_EQ(record->as<double>()[2], kFill);
  }
}

TEST(MissingValues, are_reductions_of_nothing) {
  std::vector<Partial> both(2, Partial(Reduction::mean));
  both[0].add(4);
  const auto partials = std::make_shared<Partials>(Reduction::mean, both);
  const auto average = make_window(manipulations::averaged(), true, kFill);
  const auto last = make_window(manipulations::none(), true, kFill);

  average->add(PartialArray{{2}, partials}, 3);
  last->add(PartialArray{{2}, partials}, 0);

  for (const auto* window : {&average, &last}) {
    const auto record = (*window)->take_record();
    EXPECT_EQ(record->as<double>()[0], 4);
    EXPECT_EQ(record->as<double>()[1], kFill);
  }
}

}  // namespace
}  // namespace pileus
