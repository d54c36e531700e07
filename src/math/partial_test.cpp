#include "math/partial.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace pileus {
namespace {

using Limits = std::numeric_limits<double>;
constexpr double kInfinity = Limits::infinity();
constexpr double kNan = Limits::quiet_NaN();

Partial partial_of(Reduction reduction, const std::vector<double>& values) {
  Partial partial(reduction);
  partial.add(std::span<const double>(values));
  return partial;
}

double times(Partial partial, double constant) {
  partial.multiply(constant);
  return partial.value();
}

double over(Partial partial, double constant) {
  partial.divide(constant);
  return partial.value();
}

std::vector<std::byte> bytes_of(const Partial& partial) {
  std::vector<std::byte> bytes;
  partial.encode(bytes);
  return bytes;
}

TEST(Partial, gives_the_four_reductions_of_the_same_values) {
  const std::vector<double> values{4, -1, 3};

  EXPECT_EQ(partial_of(Reduction::sum, values).value(), 6);
  EXPECT_EQ(partial_of(Reduction::mean, values).value(), 2);
  EXPECT_EQ(partial_of(Reduction::min, values).value(), -1);
  EXPECT_EQ(partial_of(Reduction::max, values).value(), 4);
  EXPECT_EQ(partial_of(Reduction::max, values).count(), 3);
}

TEST(Partial, of_nothing_is_zero_as_a_sum_and_nan_otherwise) {
  EXPECT_EQ(Partial(Reduction::sum).value(), 0);
  EXPECT_TRUE(std::isnan(Partial(Reduction::mean).value()));
  EXPECT_TRUE(std::isnan(Partial(Reduction::min).value()));
  EXPECT_TRUE(std::isnan(Partial(Reduction::max).value()));
  EXPECT_FALSE(Partial(Reduction::mean).exact().has_value());
  EXPECT_EQ(Partial(Reduction::max).count(), 0);
}

TEST(Partial, merges_with_an_empty_one_without_a_change) {
  for (const Reduction reduction : {Reduction::sum, Reduction::mean, Reduction::min, Reduction::max}) {
    const Partial full = partial_of(reduction, {-5, -7});
    Partial empty(reduction);

    empty.merge(full);

    EXPECT_EQ(bytes_of(empty), bytes_of(full));
  }
}

TEST(Partial, rounds_once_after_factor_and_count) {
  // 0.1 is 0.1 + 2^-57.8…: ten of them are 1 + 5.55e-17, exactly, which rounds to 1; over 10 · 0.1 it is 1
  // too. Rounded after each step, the loop sum would be 0.9999999999999999.
  Partial sum(Reduction::sum);
  for (int i = 0; i < 10; ++i) sum.add(0.1);
  Partial mean = sum.as(Reduction::mean);

  mean.multiply(3);
  mean.divide(3);

  EXPECT_EQ(sum.value(), 1);
  EXPECT_EQ(mean.value(), 0.1);
  EXPECT_EQ(over(mean, 0.1), 1);
}

TEST(Partial, passes_beyond_the_range_of_doubles_on_the_way) {
  // Sums beyond the largest double, scaled back; and 2^-1074 / 2^1000 · 2^1000.
  const double largest = Limits::max();
  Partial tiny = partial_of(Reduction::sum, {Limits::denorm_min()});
  tiny.divide(0x1p1000);
  tiny.multiply(0x1p1000);

  EXPECT_EQ(over(partial_of(Reduction::sum, {largest, largest}), 2), largest);
  EXPECT_EQ(partial_of(Reduction::mean, {largest, largest, largest}).value(), largest);
  EXPECT_EQ(tiny.value(), Limits::denorm_min());
}

TEST(Partial, applies_a_negative_factor_to_the_extremum_itself) {
  EXPECT_EQ(times(partial_of(Reduction::min, {1, 5}), -2), -2);
  EXPECT_EQ(over(partial_of(Reduction::max, {1, 5}), -2), -2.5);
}

TEST(Partial, gives_zeros_the_documented_sign) {
  EXPECT_FALSE(std::signbit(times(partial_of(Reduction::sum, {1, -1}), -3)));
  EXPECT_FALSE(std::signbit(times(partial_of(Reduction::sum, {5}), -0.0)));
  EXPECT_FALSE(std::signbit(partial_of(Reduction::mean, {-0.0}).value()));
  EXPECT_TRUE(std::signbit(partial_of(Reduction::min, {0.0, -0.0}).value()));
  EXPECT_FALSE(std::signbit(partial_of(Reduction::max, {-0.0, 0.0}).value()));
  EXPECT_TRUE(std::signbit(times(partial_of(Reduction::max, {0.0}), -3)));
  EXPECT_TRUE(std::signbit(times(partial_of(Reduction::max, {2.0}), -0.0)));
}

TEST(Partial, follows_ieee_for_infinite_sums) {
  const Partial infinite = partial_of(Reduction::sum, {1, -kInfinity});

  EXPECT_EQ(times(infinite, 3), -kInfinity);
  EXPECT_EQ(over(infinite, -3), kInfinity);
  EXPECT_TRUE(std::isnan(times(infinite, 0)));
  EXPECT_TRUE(std::isnan(over(infinite, kInfinity)));
  EXPECT_EQ(over(infinite, 0), -kInfinity);
  EXPECT_EQ(infinite.as(Reduction::mean).value(), -kInfinity);
  EXPECT_FALSE(infinite.exact().has_value());
  EXPECT_TRUE(std::isnan(times(partial_of(Reduction::sum, {kNan}), 2)));
}

TEST(Partial, follows_ieee_for_constants_of_zero_infinity_and_nan) {
  for (const Reduction reduction : {Reduction::sum, Reduction::mean, Reduction::min, Reduction::max}) {
    const Partial minus_two = partial_of(reduction, {-2});

    EXPECT_EQ(times(minus_two, 0), 0);
    EXPECT_EQ(over(minus_two, kInfinity), 0);
    EXPECT_EQ(over(minus_two, 0), -kInfinity);
    EXPECT_EQ(over(minus_two, -0.0), kInfinity);
    EXPECT_EQ(times(minus_two, kInfinity), -kInfinity);
    EXPECT_TRUE(std::isnan(times(minus_two, kNan)));
    EXPECT_TRUE(std::isnan(over(partial_of(reduction, {0}), 0)));
    EXPECT_TRUE(std::isnan(times(partial_of(reduction, {0}), kInfinity)));
  }
}

TEST(Partial, propagates_nan_through_extrema) {
  const Partial minimum = partial_of(Reduction::min, {1, -kNan, -kInfinity});

  EXPECT_TRUE(std::isnan(minimum.value()));
  EXPECT_FALSE(minimum.exact().has_value());
  EXPECT_EQ(partial_of(Reduction::max, {1, kInfinity}).value(), kInfinity);
}

TEST(Partial, tells_its_exact_fraction) {
  // (1 + 2) / 7 over 2 values as a mean: 3 / 14, whatever the terms.
  Partial mean = partial_of(Reduction::mean, {1, 2});
  mean.divide(7);

  const auto fraction = mean.exact();

  ASSERT_TRUE(fraction.has_value());
  EXPECT_EQ(fraction->first * ExactNumber(14), fraction->second * ExactNumber(3));
  EXPECT_EQ(fraction->second.sign(), 1);
}

TEST(Partial, takes_floats_and_strides) {
  const std::vector<float> values{1, 10, 2, 20, 3, 30};
  for (const auto& [reduction, expected] : {std::pair(Reduction::sum, 6.0), std::pair(Reduction::max, 3.0)}) {
    Partial partial(reduction);

    partial.add_strided(values.data(), 3, 2);

    EXPECT_EQ(partial.value(), expected);
    EXPECT_EQ(partial.count(), 3);
    const std::vector<double> wide(values.begin(), values.end());
    partial.add_strided(wide.data() + 5, 3, -2);  // 30, 20, 10
    partial.add(std::span<const float>(values).first(1));
    EXPECT_EQ(partial.value(), reduction == Reduction::sum ? 67 : 30);
    EXPECT_EQ(partial.count(), 7);
  }
}

TEST(Partial, refuses_what_would_mix_meanings) {
  Partial sum = partial_of(Reduction::sum, {1});
  Partial halved = sum;
  halved.divide(2);

  EXPECT_THROW(sum.merge(Partial(Reduction::mean)), std::invalid_argument);
  EXPECT_THROW(sum.merge(halved), std::invalid_argument);
  EXPECT_THROW(sum.as(Reduction::min), std::invalid_argument);
  EXPECT_THROW(Partial(Reduction::mean).as(Reduction::sum), std::invalid_argument);
}

TEST(Partial, comes_back_from_its_bytes) {
  for (const Reduction reduction : {Reduction::sum, Reduction::mean, Reduction::min, Reduction::max}) {
    Partial partial = partial_of(reduction, {1e300, -3, kInfinity});
    partial.divide(-3);
    const auto bytes = bytes_of(partial);
    std::span<const std::byte> in(bytes);

    const Partial back = Partial::decode(in);

    EXPECT_TRUE(in.empty());
    EXPECT_EQ(bytes_of(back), bytes);
    EXPECT_EQ(back.value(), partial.value());
  }
}

TEST(Partial, refuses_every_truncation_and_keeps_to_canonical_bytes) {
  // Whatever one changed byte makes of it: refused, or the very bytes that encode writes for what was read.
  Partial partial = partial_of(Reduction::mean, {1e300, -3, kNan});
  partial.divide(-3);
  const auto bytes = bytes_of(partial);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    std::span<const std::byte> in(bytes.data(), size);
    EXPECT_THROW(Partial::decode(in), std::invalid_argument);
  }
  for (std::size_t place = 0; place < bytes.size(); ++place) {
    for (int value = 0; value < 256; ++value) {
      auto changed = bytes;
      changed[place] = static_cast<std::byte>(value);
      std::span<const std::byte> in(changed);
      try {
        const auto again = bytes_of(Partial::decode(in));
        changed.resize(changed.size() - in.size());
        ASSERT_EQ(again, changed) << place << " " << value;
      } catch (const std::invalid_argument&) {
      }
    }
  }
}

/// The bytes of a Partial, or of Partials, with another count: eight bytes from `place` on.
std::vector<std::byte> with_count(std::vector<std::byte> bytes, std::size_t place, std::int64_t count) {
  for (std::size_t i = 0; i < 8; ++i) bytes[place + i] = static_cast<std::byte>(count >> (8 * i));
  return bytes;
}

TEST(Partial, refuses_counts_that_cannot_be_and_merges_that_would_pass_them) {
  for (const Reduction reduction : {Reduction::sum, Reduction::count, Reduction::max, Reduction::variance}) {
    const auto bytes = bytes_of(partial_of(reduction, {1, 2}));
    for (const std::int64_t wrong : {Partial::kMostValues, std::numeric_limits<std::int64_t>::max(), -1L}) {
      const auto damaged = with_count(bytes, 1, wrong);
      std::span<const std::byte> in(damaged);
      EXPECT_THROW(Partial::decode(in), std::invalid_argument) << wrong;
    }
    const auto most = with_count(bytes, 1, Partial::kMostValues - 1);
    std::span<const std::byte> in(most);
    Partial partial = Partial::decode(in);
    EXPECT_THROW(partial.merge(partial_of(reduction, {3})), std::invalid_argument);
    EXPECT_EQ(partial.count(), Partial::kMostValues - 1);
  }
}

}  // namespace
}  // namespace pileus
