// Partials side by side mean what as many Partials mean, to the bit, whatever is done to them.

#include "math/partials.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "loops/testing/random_values.h"

namespace pileus {
namespace {

using testing::below;
using testing::Random;
using Limits = std::numeric_limits<double>;

std::vector<Reduction> all_reductions() {
  std::vector<Reduction> all;
  for (const ReductionDeclaration& declared : kDeclaredReductions)
    if (!declared.is_weighted) all.push_back(declared.reduction);
  return all;
}

std::vector<std::byte> bytes_of(const Partial& partial) {
  std::vector<std::byte> bytes;
  partial.encode(bytes);
  return bytes;
}

std::vector<std::byte> bytes_of(const Partials& partials) {
  std::vector<std::byte> bytes;
  partials.encode(bytes);
  return bytes;
}

Partials sent(const Partials& partials) {
  const std::vector<std::byte> bytes = bytes_of(partials);
  std::span<const std::byte> in(bytes);
  Partials decoded = Partials::decode(in, partials.size());
  EXPECT_TRUE(in.empty());
  return decoded;
}

void expect_same(const Partials& partials, const std::vector<Partial>& oracle) {
  ASSERT_EQ(partials.size(), oracle.size());
  const std::vector<double> values = partials.values(), marked = partials.values(-99);
  for (std::size_t i = 0; i < oracle.size(); ++i) {
    EXPECT_EQ(bytes_of(partials[i]), bytes_of(oracle[i])) << i;
    EXPECT_EQ(partials.is_of_nothing(i), oracle[i].is_of_nothing());
    const double value = oracle[i].value();
    EXPECT_EQ(std::bit_cast<std::uint64_t>(values[i]), std::bit_cast<std::uint64_t>(value)) << i;
    if (oracle[i].is_of_nothing()) {
      EXPECT_EQ(marked[i], -99);
    }
    EXPECT_EQ(partials.count(i), oracle[i].count());
  }
}

/// Both ways of the same numbers: some of them missing, in one or two elements of several values.
struct Both {
  Partials partials;
  std::vector<Partial> oracle;
};

Both random_both(Random& random, Reduction reduction, std::size_t size) {
  std::vector<double> values = testing::hard_values(random, size);
  const std::optional<double> missing = below(random, 3) == 0 ? std::optional(7.5) : std::nullopt;
  for (double& value : values)
    if (missing && below(random, 4) == 0) value = *missing;
  std::vector<Partial> oracle(size, Partial(reduction));
  for (std::size_t i = 0; i < size; ++i) {
    const std::span<const double> value(&values[i], 1);
    if (reduction == Reduction::covariance) {
      oracle[i].add_pairs({value}, {value});
    } else {
      missing ? oracle[i].add_present(value, *missing) : oracle[i].add(value);
    }
  }
  if (reduction != Reduction::covariance && below(random, 2) == 0)
    return {Partials::of_each(std::span<const double>(values), reduction, missing), oracle};
  // More values in some elements.
  for (std::size_t n = below(random, 20); n > 0 && size > 0; --n) {
    Partial& partial = oracle[below(random, size)];
    const std::vector<double> more = testing::hard_values(random, below(random, 9));
    if (reduction == Reduction::covariance) {
      partial.add_pairs({more}, {more});
    } else {
      partial.add(std::span<const double>(more));
    }
  }
  return {Partials(reduction, oracle), oracle};
}

class PartialsTest : public ::testing::TestWithParam<Reduction> {};

TEST_P(PartialsTest, mean_what_as_many_partials_mean) {
  Random random(2026 + static_cast<unsigned>(GetParam()));
  for (int round = 0; round < 300; ++round) {
    const std::size_t size = below(random, 20);
    Both both = random_both(random, GetParam(), size);
    for (std::size_t merges = below(random, 12); merges > 0; --merges) {
      const Both other = random_both(random, GetParam(), size);
      both.partials.merge(below(random, 2) == 0 ? other.partials : sent(other.partials));
      for (std::size_t i = 0; i < size; ++i) both.oracle[i].merge(other.oracle[i]);
    }
    expect_same(both.partials, both.oracle);
    if (GetParam() == Reduction::sum && below(random, 2) == 0) {
      both.partials = both.partials.as(Reduction::mean);
      for (Partial& partial : both.oracle) partial = partial.as(Reduction::mean);
    }
    for (const double constant : {4.0, 1024.0, 3.0, -0.1}) {
      if (below(random, 3) != 0) continue;
      const bool divides = below(random, 2) == 0;
      divides ? both.partials.divide(constant) : both.partials.multiply(constant);
      for (Partial& partial : both.oracle) divides ? partial.divide(constant) : partial.multiply(constant);
    }
    expect_same(both.partials, both.oracle);
    expect_same(sent(both.partials), both.oracle);
  }
}

INSTANTIATE_TEST_SUITE_P(Reductions, PartialsTest, ::testing::ValuesIn(all_reductions()),
                         [](const auto& tested) { return std::string(word_of(tested.param)); });

TEST(Partials, take_numbers_of_every_type) {
  const std::int64_t large[] = {INT64_MAX, INT64_MIN, (std::int64_t{1} << 53) + 1, -3};
  const float small[] = {1.5F, -0.0F, std::numeric_limits<float>::infinity()};
  const std::int8_t truths[] = {0, 1, -1};
  for (const Reduction reduction : all_reductions()) {
    if (reduction == Reduction::covariance) continue;
    const auto expect_each = [&](auto values, std::optional<double> missing) {
      std::vector<Partial> oracle;
      for (const auto& value : values) {
        Partial& partial = oracle.emplace_back(reduction);
        missing ? partial.add_present(std::span(&value, 1), *missing) : partial.add(std::span(&value, 1));
      }
      expect_same(Partials::of_each(values, reduction, missing), oracle);
    };
    expect_each(std::span<const std::int64_t>(large), std::nullopt);
    expect_each(std::span<const std::int64_t>(large), -3);
    expect_each(std::span<const float>(small), std::nullopt);
    expect_each(std::span<const std::int8_t>(truths), 1);
  }
}

TEST(Partials, of_ordinary_sums_are_few_doubles) {
  Random random(7);
  Partials sum(Reduction::sum, 100);
  for (int rank = 0; rank < 1000; ++rank) {
    std::vector<double> values(100);
    for (double& value : values) value = testing::around_one(random, 10);
    sum.merge(Partials::of_each(std::span<const double>(values), Reduction::sum, {}));
  }

  EXPECT_LE(sum.sums().part_count(), 3U);
  EXPECT_TRUE(sum.wide_sums().empty());
  EXPECT_EQ(sum.common_count(), 1000);
  EXPECT_LE(bytes_of(sum).size(), 100 * 3 * sizeof(double) + 64);
}

TEST(Partials, of_different_kinds_do_not_merge) {
  Partials sums(Reduction::sum, 3), scaled(Reduction::sum, 3);
  scaled.multiply(2);
  EXPECT_THROW(sums.merge(scaled), std::invalid_argument);
  EXPECT_THROW(sums.merge(Partials(Reduction::mean, 3)), std::invalid_argument);
  EXPECT_THROW(sums.merge(Partials(Reduction::sum, 2)), std::invalid_argument);
  EXPECT_THROW(sums.as(Reduction::max), std::invalid_argument);
}

TEST(Partials, refuse_bytes_that_nobody_wrote) {
  Random random(11);
  for (const Reduction reduction : all_reductions()) {
    for (int round = 0; round < 200; ++round) {
      const std::size_t size = 1 + below(random, 6);
      std::vector<std::byte> bytes = bytes_of(random_both(random, reduction, size).partials);
      const auto decoded_or_refused = [&](std::span<const std::byte> in) {
        try {
          const Partials partials = Partials::decode(in, size);
          static_cast<void>(partials.values());
        } catch (const std::invalid_argument&) {
        }
      };
      decoded_or_refused(std::span(bytes).first(below(random, bytes.size())));
      bytes[below(random, bytes.size())] ^= static_cast<std::byte>(1U << below(random, 8));
      decoded_or_refused(bytes);
    }
  }
  // More elements than there are bytes for: no memory is asked for.
  const double two[] = {1, 2};
  const std::vector<std::byte> few =
      bytes_of(Partials::of_each(std::span<const double>(two), Reduction::sum, {}));
  std::span<const std::byte> in(few);
  EXPECT_THROW(Partials::decode(in, std::size_t{1} << 40), std::invalid_argument);
}

// Elements without a finite sum on one side, then on the other: each list is passed once.
TEST(Partials, that_are_not_finite_merge_in_either_order) {
  constexpr std::size_t kSize = 40000;
  std::vector<double> lower(kSize, 1), upper(kSize, 2), between(kSize, 3);
  for (std::size_t i = 0; i < kSize; ++i) {
    (i < kSize / 2 ? lower : upper)[i] = Limits::quiet_NaN();
    if (i % 2 == 0) between[i] = Limits::infinity();
  }
  const auto sums = [](const std::vector<double>& values) {
    return Partials::of_each(std::span<const double>(values), Reduction::sum, {});
  };
  for (const auto& [first, second] : {std::pair(&lower, &upper), std::pair(&upper, &lower)}) {
    Partials all = sums(*first);
    all.merge(sums(between));
    all.merge(sums(*second));

    EXPECT_EQ(all.wide_sums().size(), kSize);
    EXPECT_TRUE(std::isnan(all[0].value()) && std::isnan(all[kSize - 1].value()));
    EXPECT_EQ(all.count(kSize / 2), 3);
  }
}

TEST(Partials, refuse_truths_that_are_neither) {
  for (const Reduction reduction : {Reduction::any, Reduction::all}) {
    const double wrong = reduction == Reduction::any ? 1 : -1;  // of any the opposite is kept
    std::vector<std::byte> bytes =
        bytes_of(Partials::of_each(std::span<const double>(&wrong, 1), reduction, {}));
    bytes[bytes.size() - 1] ^= std::byte{0x80};
    std::span<const std::byte> in(bytes);
    EXPECT_THROW(Partials::decode(in, 1), std::invalid_argument);
  }
}

/// Partials with another count of element `i`, which the bytes have behind reduction and flags.
Partials with_count(const Partials& partials, std::size_t i, std::int64_t count) {
  std::vector<std::byte> bytes = bytes_of(partials);
  for (std::size_t b = 0; b < 8; ++b) bytes[2 + 8 * i + b] = static_cast<std::byte>(count >> (8 * b));
  std::span<const std::byte> in(bytes);
  return Partials::decode(in, partials.size());
}

TEST(Partials, refuse_counts_that_cannot_be_and_merges_that_would_pass_them) {
  constexpr std::int64_t kMost = Partial::kMostValues;
  const double two[] = {1, 2};
  for (const Reduction reduction : {Reduction::sum, Reduction::mean, Reduction::max, Reduction::count}) {
    const Partials right = Partials::of_each(std::span<const double>(two), reduction, {});
    for (const std::int64_t wrong : {kMost, std::numeric_limits<std::int64_t>::max(), std::int64_t{-1}})
      EXPECT_THROW(with_count(right, 0, wrong), std::invalid_argument) << wrong;

    Partials most = with_count(right, 0, kMost - 1);
    EXPECT_THROW(most.merge(right), std::invalid_argument);
    EXPECT_EQ(most.count(0), kMost - 1);
  }
  const Partials extrema = Partials::of_each(std::span<const double>(two), Reduction::max, {});
  EXPECT_THROW(with_count(extrema, 1, kMost), std::invalid_argument) << "where counts differ";
}

}  // namespace
}  // namespace pileus
