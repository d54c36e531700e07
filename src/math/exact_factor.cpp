#include "math/exact_factor.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "math/bytes.h"

namespace pileus {
namespace {

enum Flags : std::uint8_t { kNegative = 1, kOne = 2 };

ExactNumber odd_part(const ExactNumber& number) { return number.times_power_of_two(-number.lowest_bit()); }

/// REQUIRES: positive odd integers.
ExactNumber greatest_common_divisor(ExactNumber a, ExactNumber b) {
  const auto small_a = a.small_integer();
  const auto small_b = b.small_integer();
  if (small_a && small_b) return ExactNumber(std::gcd(*small_a, *small_b));
  while (a != b) {
    if (a < b) std::swap(a, b);
    a = odd_part(a - b);
  }
  return a;
}

/// |constant| as numerator / denominator, with 1 / 0 for infinity and 0 / 0 for NaN.
std::pair<ExactNumber, ExactNumber> fraction(double constant) {
  if (std::isnan(constant)) return {ExactNumber(0), ExactNumber(0)};
  if (std::isinf(constant)) return {ExactNumber(1), ExactNumber(0)};
  return {ExactNumber(std::fabs(constant)), ExactNumber(1)};
}

}  // namespace

void ExactFactor::multiply(double constant) {
  const auto [numerator, denominator] = fraction(constant);
  apply(numerator, denominator, std::signbit(constant));
}

void ExactFactor::divide(double constant) {
  const auto [numerator, denominator] = fraction(constant);
  apply(denominator, numerator, std::signbit(constant));
}

void ExactFactor::apply(const ExactNumber& numerator, const ExactNumber& denominator, bool negative) {
  numerator_ = numerator_ * numerator;
  denominator_ = denominator_ * denominator;
  negative_ = negative_ != negative;
  reduce();
}

void ExactFactor::reduce() {
  const ExactNumber one(1);
  if (numerator_.is_zero() || denominator_.is_zero()) {
    if (!denominator_.is_zero()) denominator_ = one;
    if (!numerator_.is_zero()) numerator_ = one;
    if (numerator_ == denominator_) negative_ = false;  // NaN
    return;
  }
  const std::int64_t shift = -denominator_.lowest_bit();
  numerator_ = numerator_.times_power_of_two(shift);
  denominator_ = denominator_.times_power_of_two(shift);
  const ExactNumber odd_numerator = odd_part(numerator_);
  if (denominator_ == one || odd_numerator == one) return;
  const ExactNumber divisor = greatest_common_divisor(odd_numerator, denominator_);
  if (divisor == one) return;
  numerator_ = exact_quotient(numerator_, divisor);
  denominator_ = exact_quotient(denominator_, divisor);
}

double ExactFactor::kind() const {
  using Limits = std::numeric_limits<double>;
  if (!is_finite() && numerator_.is_zero()) return Limits::quiet_NaN();
  const double magnitude = !is_finite() ? Limits::infinity() : numerator_.is_zero() ? 0.0 : 1.0;
  return negative_ ? -magnitude : magnitude;
}

void ExactFactor::encode(std::vector<std::byte>& out) const {
  detail::put(out, static_cast<std::uint8_t>((negative_ ? kNegative : 0) | (is_one() ? kOne : 0)));
  if (is_one()) return;
  numerator_.encode(out);
  denominator_.encode(out);
}

ExactFactor ExactFactor::decode(std::span<const std::byte>& in) {
  const auto flags = detail::take<std::uint8_t>(in);
  ExactFactor factor;
  if (flags == kOne) return factor;
  detail::require(flags <= kNegative, "exact factor: unknown flags");
  factor.negative_ = flags == kNegative;
  factor.numerator_ = ExactNumber::decode(in);
  factor.denominator_ = ExactNumber::decode(in);
  detail::require(factor.numerator_.sign() >= 0 && factor.denominator_.sign() >= 0,
                  "exact factor: a sign in the fraction");
  detail::require(factor.denominator_.is_zero() || factor.denominator_.lowest_bit() == 0,
                  "exact factor: an even denominator");
  ExactFactor reduced = factor;
  reduced.reduce();
  detail::require(reduced == factor && !factor.is_one(), "exact factor: not in lowest terms");
  return factor;
}

}  // namespace pileus
