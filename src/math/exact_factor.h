#pragma once

// The constant factor of a Partial, held as an exact fraction until the value is rounded. Used by Partial
// only. It must never be rounded.

#include <cstddef>
#include <span>
#include <vector>

#include "math/exact_number.h"

namespace pileus {

/// A product and quotient of doubles without rounding, with IEEE's rules for 0, ±Inf and NaN.
/// Equal factors are equal and give equal bytes however they were built: · 2 · 3 / 4 is · 1.5.
class ExactFactor {
 public:
  /// One.
  ExactFactor() = default;

  void multiply(double constant);
  void divide(double constant);

  /// Zero included, infinite or NaN not.
  bool is_finite() const { return !denominator_.is_zero(); }
  bool is_zero() const { return is_finite() && numerator_.is_zero(); }
  bool is_one() const { return !negative_ && numerator_ == denominator_ && is_finite(); }
  ExactNumber numerator() const { return negative_ ? -numerator_ : numerator_; }
  /// Positive for a finite factor; zero for an infinite one and for NaN.
  const ExactNumber& denominator() const { return denominator_; }
  /// ±1, ±0, ±Inf or NaN: what the factor does to the sign and kind of a result.
  double kind() const;

  friend bool operator==(const ExactFactor& a, const ExactFactor& b) = default;

  /// Appends the canonical bytes; a factor of one is a single byte.
  void encode(std::vector<std::byte>& out) const;
  /// Errors: std::invalid_argument for anything that encode does not write.
  static ExactFactor decode(std::span<const std::byte>& in);

 private:
  void apply(const ExactNumber& numerator, const ExactNumber& denominator, bool negative);
  void reduce();

  // ±numerator_ / denominator_ in lowest terms, an odd denominator; 0 = 0 / 1, infinity = 1 / 0, NaN = +0 /
  // 0.
  bool negative_ = false;
  ExactNumber numerator_{1};
  ExactNumber denominator_{1};
};

}  // namespace pileus
