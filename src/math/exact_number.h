#pragma once

// Exact numbers of the form integer · 2^exponent and the one place where a quotient of them is rounded.
// Used by Partial and ExactWeightedMean for factors, weights and means; it must never round anywhere else.

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "math/limbs.h"

namespace pileus {

class ExactSum;

/// An exact dyadic rational: whatever doubles and integers give by +, − and ·.
/// Up to 512 bits between its highest and its lowest bit nothing is allocated.
/// Errors: std::overflow_error where a product leaves 2^±2 000 000, which takes some 2000 doubles.
class ExactNumber {
 public:
  /// Zero.
  ExactNumber() = default;
  /// Errors: std::invalid_argument for NaN and infinities.
  explicit ExactNumber(double value);
  template <std::signed_integral T>
  explicit ExactNumber(T value) : ExactNumber(from_integer(value)) {}
  /// Errors: std::invalid_argument for a sum that is not finite.
  explicit ExactNumber(const ExactSum& sum);

  /// −1, 0 or 1.
  int sign() const { return limbs_.empty() ? 0 : negative_ ? -1 : 1; }
  bool is_zero() const { return limbs_.empty(); }
  ExactNumber operator-() const;
  /// The number where it is an integer from 0 to 2^63 − 1.
  std::optional<std::int64_t> small_integer() const;
  ExactNumber times_power_of_two(std::int64_t exponent) const;
  /// Memory that it has elsewhere.
  std::size_t allocated_bytes() const { return limbs_.allocated_bytes(); }
  /// The exponent of the lowest bit that is set. REQUIRES: not zero.
  std::int64_t lowest_bit() const;
  /// The exponent of the highest bit that is set. REQUIRES: not zero.
  std::int64_t highest_bit() const;

  ExactNumber& operator+=(const ExactNumber& other) { return *this = *this + other; }
  friend ExactNumber operator+(const ExactNumber& a, const ExactNumber& b);
  friend ExactNumber operator-(const ExactNumber& a, const ExactNumber& b) { return a + -b; }
  friend ExactNumber operator*(const ExactNumber& a, const ExactNumber& b);
  friend bool operator==(const ExactNumber& a, const ExactNumber& b);
  friend std::strong_ordering operator<=>(const ExactNumber& a, const ExactNumber& b);

  /// numerator / denominator where the result is known to be an integer times a power of two.
  /// REQUIRES: an odd integer as denominator that divides the numerator's odd part.
  friend ExactNumber exact_quotient(const ExactNumber& numerator, const ExactNumber& denominator);

  /// The double nearest to the exact quotient, ties to even, with subnormals; beyond the range ±Inf.
  /// A zero numerator gives +0; x / 0 is ±Inf with the sign of x; 0 / 0 is NaN.
  friend double divide_rounded(const ExactNumber& numerator, const ExactNumber& denominator);
  /// The double nearest to the number, ties to even; zero is +0, beyond the range ±Inf.
  friend double round(const ExactNumber& number);

  /// Appends the canonical bytes: equal numbers give equal bytes.
  void encode(std::vector<std::byte>& out) const;
  /// Takes one number from the front of `in`.
  /// Errors: std::invalid_argument for anything that encode does not write.
  static ExactNumber decode(std::span<const std::byte>& in);

 private:
  ExactNumber(bool negative, std::int64_t exponent, detail::Limbs limbs);
  static ExactNumber from_integer(std::int64_t value);
  detail::Limb limb_at(std::int64_t place) const;
  std::int64_t end() const { return exponent_ + static_cast<std::int64_t>(limbs_.size()); }
  static std::strong_ordering compare_magnitudes(const ExactNumber& a, const ExactNumber& b);
  static ExactNumber add_magnitudes(const ExactNumber& a, const ExactNumber& b, bool negative);
  static ExactNumber subtract_magnitudes(const ExactNumber& a, const ExactNumber& b, bool negative);

  // ±(limbs as an integer) · 2^(32 · exponent_). Neither end of the limbs is zero; zero has none, and is "+".
  bool negative_ = false;
  std::int64_t exponent_ = 0;
  detail::Limbs limbs_;
};

ExactNumber exact_quotient(const ExactNumber& numerator, const ExactNumber& denominator);
double divide_rounded(const ExactNumber& numerator, const ExactNumber& denominator);
double round(const ExactNumber& number);

}  // namespace pileus
