#pragma once

// Weighted means over time without rounding on the way. WeightedMeans is many of these, and uses them where
// columns of doubles do not do; architecture.md D3. It must never depend on the order of the samples.

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "math/exact_number.h"
#include "math/exact_sum.h"
#include "math/partial.h"

namespace pileus {

/// The mean round(Σ w·v / Σ w) over exact rational values v.
/// NaN and Inf: as IEEE gives for the rounded values; Inf with w > 0 is Inf, with w = 0 NaN; both infinities
/// and any NaN are NaN. Empty, or zero weights only: NaN.
/// Cost: samples with the same count and factor share one sum; each other denominator adds one.
class ExactWeightedMean {
 public:
  /// Adds the exact value of the reduction; an empty mean, min or max is NaN.
  void add(double weight, const Partial& partial);
  void add(double weight, double value);

  /// Adds Σ w·v = numerator / denominator of samples whose weights come by themselves.
  /// REQUIRES: denominator > 0.
  void add_sum(const ExactNumber& numerator, const ExactNumber& denominator) {
    add_fraction(numerator, denominator);
  }
  void add_weights(const ExactSum& weights) { weights_.merge(weights); }

  /// Adds the value to the power of n. REQUIRES: n >= 1.
  void add_power(double weight, const Partial& partial, int n);
  void add_power(double weight, double value, int n);

  /// Σ w·v, correctly rounded once.
  double total() const;
  /// The mean as numerator / denominator; std::nullopt when it is not a finite number.
  std::optional<std::pair<ExactNumber, ExactNumber>> exact() const;
  /// The mean, correctly rounded once, ties to even.
  double value() const;
  /// Σ w, correctly rounded.
  double weight() const { return weights_.round(); }

  /// Memory that it has elsewhere: for each denominator a sum.
  std::size_t allocated_bytes() const;

  /// Appends the canonical bytes: equal samples give equal bytes whatever their order.
  void encode(std::vector<std::byte>& out) const;
  /// Takes one mean from the front of `in`.
  /// Errors: std::invalid_argument for anything that encode does not write.
  static ExactWeightedMean decode(std::span<const std::byte>& in);

 private:
  struct Term {
    ExactNumber denominator;
    ExactNumber sum;  // Σ w · numerator
  };
  void add_fraction(const ExactNumber& numerator, const ExactNumber& denominator);
  void add_non_finite(double product);
  std::pair<ExactNumber, ExactNumber> fraction() const;

  std::vector<Term> terms_;  // by increasing denominator, all positive
  ExactSum weights_;
  double non_finite_ = 0;  // 0, ±Inf or NaN: the sum of the products that are not finite
};

}  // namespace pileus
