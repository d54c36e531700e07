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
std::pair<ExactNumber, ExactNumber> magnitude(double constant) {
  if (std::isnan(constant)) return {ExactNumber(0), ExactNumber(0)};
  if (std::isinf(constant)) return {ExactNumber(1), ExactNumber(0)};
  return {ExactNumber(std::fabs(constant)), ExactNumber(1)};
}

}  // namespace

void ExactFactor::multiply(double constant) {
  const auto [numerator, denominator] = magnitude(constant);
  apply(numerator, denominator, std::signbit(constant));
}

void ExactFactor::divide(double constant) {
  const auto [numerator, denominator] = magnitude(constant);
  apply(denominator, numerator, std::signbit(constant));
}

void ExactFactor::apply(const ExactNumber& numerator, const ExactNumber& denominator, bool is_negative) {
  Fraction made = fraction();
  made.numerator = made.numerator * numerator;
  made.denominator = made.denominator * denominator;
  made.is_negative = made.is_negative != is_negative;
  made.reduce();
  fraction_ = made.is_one() ? nullptr : std::make_shared<const Fraction>(std::move(made));
}

const ExactFactor::Fraction& ExactFactor::fraction() const {
  static const Fraction one;
  return fraction_ ? *fraction_ : one;
}

ExactNumber ExactFactor::numerator() const {
  const Fraction& held = fraction();
  return held.is_negative ? -held.numerator : held.numerator;
}

bool ExactFactor::Fraction::is_one() const {
  return !is_negative && numerator == denominator && !denominator.is_zero();
}

void ExactFactor::Fraction::reduce() {
  const ExactNumber one(1);
  if (numerator.is_zero() || denominator.is_zero()) {
    if (!denominator.is_zero()) denominator = one;
    if (!numerator.is_zero()) numerator = one;
    if (numerator == denominator) is_negative = false;  // NaN
    return;
  }
  const std::int64_t shift = -denominator.lowest_bit();
  numerator = numerator.times_power_of_two(shift);
  denominator = denominator.times_power_of_two(shift);
  const ExactNumber odd_numerator = odd_part(numerator);
  if (denominator == one || odd_numerator == one) return;
  const ExactNumber divisor = greatest_common_divisor(odd_numerator, denominator);
  if (divisor == one) return;
  numerator = exact_quotient(numerator, divisor);
  denominator = exact_quotient(denominator, divisor);
}

double ExactFactor::kind() const {
  using Limits = std::numeric_limits<double>;
  const Fraction& held = fraction();
  if (!is_finite() && held.numerator.is_zero()) return Limits::quiet_NaN();
  const double magnitude = !is_finite() ? Limits::infinity() : held.numerator.is_zero() ? 0.0 : 1.0;
  return held.is_negative ? -magnitude : magnitude;
}

void ExactFactor::encode(std::vector<std::byte>& out) const {
  const Fraction& held = fraction();
  detail::put(out, static_cast<std::uint8_t>((held.is_negative ? kNegative : 0) | (is_one() ? kOne : 0)));
  if (is_one()) return;
  held.numerator.encode(out);
  held.denominator.encode(out);
}

ExactFactor ExactFactor::decode(std::span<const std::byte>& in) {
  const auto flags = detail::take<std::uint8_t>(in);
  if (flags == kOne) return {};
  detail::require(flags <= kNegative, "exact factor: unknown flags");
  Fraction held;
  held.is_negative = flags == kNegative;
  held.numerator = ExactNumber::decode(in);
  held.denominator = ExactNumber::decode(in);
  detail::require(held.numerator.sign() >= 0 && held.denominator.sign() >= 0,
                  "exact factor: a sign in the fraction");
  detail::require(held.denominator.is_zero() || held.denominator.lowest_bit() == 0,
                  "exact factor: an even denominator");
  Fraction reduced = held;
  reduced.reduce();
  detail::require(reduced == held && !held.is_one(), "exact factor: not in lowest terms");
  ExactFactor factor;
  factor.fraction_ = std::make_shared<const Fraction>(std::move(held));
  return factor;
}

}  // namespace pileus
