// Weighted means side by side mean what as many ExactWeightedMeans mean, to the bit, whatever comes.

#include "math/weighted_means.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "loops/testing/random_values.h"

namespace pileus {
namespace {

using testing::below;
using testing::Random;

std::vector<std::byte> bytes_of(const ExactWeightedMean& mean) {
  std::vector<std::byte> bytes;
  mean.encode(bytes);
  return bytes;
}

void expect_bits(double value, double expected, std::size_t i) {
  EXPECT_EQ(std::bit_cast<std::uint64_t>(value), std::bit_cast<std::uint64_t>(expected))
      << i << ": " << value << " for " << expected;
}

/// The same samples in both.
class Both {
 public:
  explicit Both(std::size_t size) : means_(size), oracle_(size), has_sample_(size) {}

  void add(double weight, const Partials& values, std::optional<double> missing) {
    means_.add(weight, values, missing);
    for (std::size_t i = 0; i < oracle_.size(); ++i) {
      if (missing && values.is_of_nothing(i)) continue;
      oracle_[i].add(weight, values[i]);
      has_sample_[i] = true;
    }
  }
  template <class T>
  void add_numbers(double weight, const std::vector<T>& values, std::optional<double> missing) {
    means_.add(weight, std::span<const T>(values), missing);
    for (std::size_t i = 0; i < oracle_.size(); ++i) {
      if (static_cast<double>(values[i]) == missing) continue;
      Partial partial(Reduction::sum);
      partial.add(std::span<const T>(&values[i], 1));
      oracle_[i].add(weight, partial);
      has_sample_[i] = true;
    }
  }
  /// The means as they are after a checkpoint.
  void restore() {
    WeightedMeans restored(oracle_.size());
    for (std::size_t i = 0; i < oracle_.size(); ++i)
      if (means_.has_sample(i)) restored.set(i, means_[i]);
    means_ = std::move(restored);
  }
  void clear() {
    means_.clear();
    oracle_.assign(oracle_.size(), {});
    has_sample_.assign(oracle_.size(), false);
  }
  void check() const {
    const std::vector<double> means = means_.means(-9), totals = means_.totals(-9);
    for (std::size_t i = 0; i < oracle_.size(); ++i) {
      ASSERT_EQ(means_.has_sample(i), has_sample_[i]) << i;
      ASSERT_EQ(bytes_of(means_[i]), bytes_of(oracle_[i])) << i;
      expect_bits(means[i], has_sample_[i] ? oracle_[i].value() : -9, i);
      expect_bits(totals[i], has_sample_[i] ? oracle_[i].total() : -9, i);
    }
  }
  const WeightedMeans& means() const { return means_; }

 private:
  WeightedMeans means_;
  std::vector<ExactWeightedMean> oracle_;
  std::vector<bool> has_sample_;
};

Partials random_partials(Random& random, std::size_t size, Reduction reduction, double missing) {
  Partials all(reduction, size);
  for (std::size_t ranks = 1 + below(random, 4); ranks > 0; --ranks) {
    std::vector<double> values =
        below(random, 6) == 0 ? testing::hard_values(random, size) : std::vector<double>(size);
    const bool is_hard = below(random, 6) == 0;
    for (double& value : values) {
      if (!is_hard) value = testing::around_one(random, 12);
      if (below(random, 60) == 0) value = missing;
    }
    const auto leaves_out = below(random, 3) == 0 ? std::optional(missing) : std::nullopt;
    all.merge(Partials::of_each(std::span<const double>(values), reduction, leaves_out));
  }
  return all;
}

double random_weight(Random& random) {
  const double weights[] = {1, 1, 2, 0.5, 10, 0.1, 1.0 / 3, 0x1p-120, 1e31, 5e-324, 7.25};
  return weights[below(random, std::size(weights))];
}

TEST(WeightedMeans, are_as_many_exact_means_whatever_comes) {
  Random random(20261123);
  const Reduction reductions[] = {Reduction::sum,   Reduction::mean, Reduction::min,
                                  Reduction::count, Reduction::any,  Reduction::variance};
  for (int round = 0; round < 3000; ++round) {
    const std::size_t size = below(random, 8);
    const Reduction reduction = reductions[below(random, std::size(reductions))];
    const double missing = below(random, 2) == 0 ? -9999.0 : 1.0;
    const double scale = below(random, 2) == 0 ? 1024 : 3;
    const std::size_t kinds = below(random, 4);
    Both both(size);
    for (std::size_t samples = below(random, 12); samples > 0; --samples) {
      const auto leaves_out = below(random, 3) == 0 ? std::optional(missing) : std::nullopt;
      const double weight = below(random, 5) == 0 ? random_weight(random) : 10;
      Partials partials = random_partials(random, size, reduction, missing);
      if (kinds > 0) partials.divide(below(random, 8) == 0 ? static_cast<double>(below(random, 9)) : scale);
      const std::vector<double> numbers = partials.values();
      std::vector<std::int64_t> integers(size);
      for (std::int64_t& integer : integers)
        integer = static_cast<std::int64_t>(random()) >> below(random, 60);
      const std::size_t kind = kinds == 3 ? below(random, 3) : 0;
      if (kind == 0) both.add(weight, partials, leaves_out);
      if (kind == 1) both.add_numbers(weight, numbers, leaves_out);
      if (kind == 2) both.add_numbers(weight, integers, leaves_out);
      if (below(random, 8) == 0) both.restore();
      if (below(random, 20) == 0) both.clear();
    }
    both.check();
  }
}

TEST(WeightedMeans, of_ordinary_profiles_stay_columns) {
  Random random(5);
  Both both(60);
  for (int step = 0; step < 200; ++step) {
    std::vector<double> values(60);
    for (double& value : values) value = 290 + testing::around_one(random, 3);
    Partials sums = Partials::of_each(std::span<const double>(values), Reduction::sum, {});
    for (int rank = 1; rank < 8; ++rank)
      sums.merge(Partials::of_each(std::span<const double>(values), Reduction::sum, {}));
    sums.divide(1000);
    both.add(0.7 + step % 3, sums, {});
  }
  both.check();
  EXPECT_LE(both.means().memory_bytes(), 60 * (4 + 2) * sizeof(double));
}

// A tenth of quotients by 10 lie half way between two doubles, and two in ten are doubles.
TEST(WeightedMeans, round_ties_as_the_exact_quotient) {
  Random random(6);
  for (const double weight : {1.0, 3.0, 0.1}) {
    for (const int samples : {2, 3, 5, 10, 100}) {
      Both both(40);
      for (int step = 0; step < samples; ++step) {
        std::vector<double> values(40);
        for (double& value : values) value = std::ldexp(static_cast<double>(random() >> 11), -40);
        both.add_numbers(weight, values, {});
      }
      both.check();
    }
  }
}

// Parts that cancel, and sums beyond what few doubles hold.
TEST(WeightedMeans, give_up_columns_only_where_they_must) {
  for (const double huge : {0x1p600, 0x1p990, 0x1p1023}) {
    Both both(3);
    for (int step = 0; step < 9; ++step) {
      const double sign = step % 2 == 0 ? 1 : -1;
      both.add_numbers(step % 3 == 0 ? 4.0 : 0.1,
                       std::vector<double>{sign * huge, sign * std::ldexp(1.1, -30 * step), 3.5}, {});
      both.check();
    }
  }
}

// The halves of a value would overflow here, though the product does not.
TEST(WeightedMeans, take_the_largest_values_with_the_smallest_weights) {
  for (const double weight : {0x1.1p-99, 0x1.1p-101, 0x1.1p99, 0x1.1p101}) {
    for (const double value : {0x1.123456789abcdp998, 0x1.123456789abcdp-1000, 0x1.1p890, 0x1.1p-795}) {
      Both both(1);
      both.add_numbers(weight, std::vector<double>{value}, {});
      both.add_numbers(weight, std::vector<double>{-3 * value}, {});
      both.check();
    }
  }
}

}  // namespace
}  // namespace pileus
