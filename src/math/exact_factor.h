#pragma once

// The constant factor of a Partial, held as an exact fraction until the value is rounded. Used by Partial
// only. It must never be rounded.

#include <cstddef>
#include <memory>
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
  bool is_finite() const { return !denominator().is_zero(); }
  bool is_zero() const { return is_finite() && fraction().numerator.is_zero(); }
  bool is_one() const { return fraction_ == nullptr; }
  ExactNumber numerator() const;
  /// Positive for a finite factor; zero for an infinite one and for NaN.
  const ExactNumber& denominator() const { return fraction().denominator; }
  /// ±1, ±0, ±Inf or NaN: what the factor does to the sign and kind of a result.
  double kind() const;

  friend bool operator==(const ExactFactor& a, const ExactFactor& b) {
    return a.fraction_ == b.fraction_ || a.fraction() == b.fraction();
  }

  /// Appends the canonical bytes; a factor of one is a single byte.
  void encode(std::vector<std::byte>& out) const;
  /// Errors: std::invalid_argument for anything that encode does not write.
  static ExactFactor decode(std::span<const std::byte>& in);

 private:
  // ±numerator / denominator in lowest terms, an odd denominator; 0 = 0 / 1, infinity = 1 / 0, NaN = +0 / 0.
  struct Fraction {
    bool is_negative = false;
    ExactNumber numerator{1};
    ExactNumber denominator{1};
    bool is_one() const;
    void reduce();
    bool operator==(const Fraction&) const = default;
  };
  const Fraction& fraction() const;
  void apply(const ExactNumber& numerator, const ExactNumber& denominator, bool is_negative);

  /// Null: one. Many Partials share a factor, and most have none.
  std::shared_ptr<const Fraction> fraction_;
};

}  // namespace pileus
