#include "math/exact_number.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "math/bytes.h"
#include "math/exact_sum.h"

namespace pileus {
namespace {

using detail::kLimbBits;
using detail::Limb;
using detail::Limbs;

constexpr std::int64_t kLargestExponent = std::int64_t{1} << 16;  // in limbs: 2^21 bits

/// Rounds down, also for negative places.
std::int64_t limb_of_bit(std::int64_t bit) { return bit >> 5; }

/// The limbs of value · 2^shift, 0 <= shift < 32.
Limbs limbs_of(std::uint64_t value, int shift) {
  const std::uint64_t low = value << shift;
  const std::uint64_t high = value >> 1 >> (63 - shift);
  const std::array<Limb, 3> limbs{static_cast<Limb>(low), static_cast<Limb>(low >> kLimbBits),
                                  static_cast<Limb>(high)};
  return Limbs(limbs);
}

}  // namespace

ExactNumber::ExactNumber(bool negative, std::int64_t exponent, Limbs limbs)
    : negative_(negative), exponent_(exponent), limbs_(std::move(limbs)) {
  limbs_.trim_high();
  exponent_ += static_cast<std::int64_t>(limbs_.trim_low());
  if (limbs_.empty()) {
    negative_ = false;
    exponent_ = 0;
  }
  if (exponent_ < -kLargestExponent || end() > kLargestExponent) {
    throw std::overflow_error("exact number: beyond 2^±2097152");
  }
}

ExactNumber::ExactNumber(double value) {
  detail::require(std::isfinite(value), "exact number: not from NaN or infinity");
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto biased = static_cast<int>(bits >> 52 & 0x7FF);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  const std::uint64_t mantissa = biased == 0 ? fraction : fraction | std::uint64_t{1} << 52;
  const int exponent = std::max(biased, 1) - 1075;
  *this = ExactNumber(std::signbit(value), limb_of_bit(exponent), limbs_of(mantissa, exponent & 31));
}

ExactNumber ExactNumber::from_integer(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  return ExactNumber(value < 0, 0, limbs_of(value < 0 ? 0 - bits : bits, 0));
}

ExactNumber::ExactNumber(const ExactSum& sum) {
  detail::require(sum.is_finite(), "exact number: not from a sum with NaN or infinity");
  const ExactSum::Magnitude value = sum.magnitude();
  *this = ExactNumber(value.negative, static_cast<std::int64_t>(value.first) + ExactSum::kFirstExponent,
                      Limbs(value.used()));
}

ExactNumber ExactNumber::operator-() const {
  ExactNumber result = *this;
  result.negative_ = !negative_ && !is_zero();
  return result;
}

std::optional<std::int64_t> ExactNumber::small_integer() const {
  if (negative_ || exponent_ < 0 || end() > 2) return std::nullopt;
  const std::uint64_t value = static_cast<std::uint64_t>(limb_at(1)) << kLimbBits | limb_at(0);
  if (value >> 63 != 0) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

ExactNumber ExactNumber::times_power_of_two(std::int64_t exponent) const {
  const std::array<Limb, 1> shift{Limb{1} << (exponent & 31)};
  return ExactNumber(negative_, exponent_ + limb_of_bit(exponent), detail::multiply(limbs_.span(), shift));
}

std::int64_t ExactNumber::lowest_bit() const { return exponent_ * kLimbBits + std::countr_zero(limbs_[0]); }

std::int64_t ExactNumber::highest_bit() const {
  return end() * kLimbBits - 1 - std::countl_zero(limbs_[limbs_.size() - 1]);
}

Limb ExactNumber::limb_at(std::int64_t place) const {
  return place >= exponent_ && place < end() ? limbs_[static_cast<std::size_t>(place - exponent_)] : 0;
}

std::strong_ordering ExactNumber::compare_magnitudes(const ExactNumber& a, const ExactNumber& b) {
  if (a.is_zero() || b.is_zero()) return b.is_zero() <=> a.is_zero();
  if (a.end() != b.end()) return a.end() <=> b.end();
  for (std::int64_t place = a.end() - 1; place >= std::min(a.exponent_, b.exponent_); --place) {
    if (const auto order = a.limb_at(place) <=> b.limb_at(place); order != 0) return order;
  }
  return std::strong_ordering::equal;
}

ExactNumber ExactNumber::add_magnitudes(const ExactNumber& a, const ExactNumber& b, bool negative) {
  const std::int64_t low = std::min(a.exponent_, b.exponent_);
  Limbs sum(static_cast<std::size_t>(std::max(a.end(), b.end()) - low + 1));
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    const std::int64_t place = low + static_cast<std::int64_t>(i);
    carry += static_cast<std::uint64_t>(a.limb_at(place)) + b.limb_at(place);
    sum[i] = static_cast<Limb>(carry);
    carry >>= kLimbBits;
  }
  return ExactNumber(negative, low, std::move(sum));
}

/// REQUIRES: the magnitude of a is not below that of b.
ExactNumber ExactNumber::subtract_magnitudes(const ExactNumber& a, const ExactNumber& b, bool negative) {
  const std::int64_t low = std::min(a.exponent_, b.exponent_);
  Limbs difference(static_cast<std::size_t>(a.end() - low));
  std::int64_t borrow = 0;
  for (std::size_t i = 0; i < difference.size(); ++i) {
    const std::int64_t place = low + static_cast<std::int64_t>(i);
    borrow += static_cast<std::int64_t>(a.limb_at(place)) - b.limb_at(place);
    difference[i] = static_cast<Limb>(borrow);
    borrow >>= kLimbBits;
  }
  return ExactNumber(negative, low, std::move(difference));
}

ExactNumber operator+(const ExactNumber& a, const ExactNumber& b) {
  if (a.is_zero()) return b;
  if (b.is_zero()) return a;
  if (a.negative_ == b.negative_) return ExactNumber::add_magnitudes(a, b, a.negative_);
  const bool a_is_larger = ExactNumber::compare_magnitudes(a, b) > 0;
  return a_is_larger ? ExactNumber::subtract_magnitudes(a, b, a.negative_)
                     : ExactNumber::subtract_magnitudes(b, a, b.negative_);
}

ExactNumber operator*(const ExactNumber& a, const ExactNumber& b) {
  return ExactNumber(a.negative_ != b.negative_, a.exponent_ + b.exponent_,
                     detail::multiply(a.limbs_.span(), b.limbs_.span()));
}

bool operator==(const ExactNumber& a, const ExactNumber& b) {
  return a.negative_ == b.negative_ && a.exponent_ == b.exponent_ && a.limbs_ == b.limbs_;
}

std::strong_ordering operator<=>(const ExactNumber& a, const ExactNumber& b) {
  if (a.sign() != b.sign()) return a.sign() <=> b.sign();
  return a.negative_ ? ExactNumber::compare_magnitudes(b, a) : ExactNumber::compare_magnitudes(a, b);
}

ExactNumber exact_quotient(const ExactNumber& numerator, const ExactNumber& denominator) {
  auto quotient = detail::divide(numerator.limbs_.span(), denominator.limbs_.span());
  return ExactNumber(numerator.negative_ != denominator.negative_,
                     numerator.exponent_ - denominator.exponent_, std::move(quotient.limbs));
}

double divide_rounded(const ExactNumber& numerator, const ExactNumber& denominator) {
  if (denominator.is_zero()) {
    if (numerator.is_zero()) return std::numeric_limits<double>::quiet_NaN();
    return numerator.sign() * std::numeric_limits<double>::infinity();
  }
  if (numerator.is_zero()) return 0;
  // Three limbs more than the denominator give a quotient of at least 65 bits; the rest is only "a little
  // more".
  const std::size_t size = denominator.limbs_.size() + 3;
  Limbs dividend(size);
  bool has_more = false;
  for (std::size_t i = 0; i < numerator.limbs_.size(); ++i) {
    const std::size_t from_top = numerator.limbs_.size() - i;
    if (from_top <= size) {
      dividend[size - from_top] = numerator.limbs_[i];
    } else {
      has_more = true;  // the lowest limb is never zero
    }
  }
  const auto quotient = detail::divide(dividend.span(), denominator.limbs_.span());
  const std::int64_t exponent = numerator.end() - static_cast<std::int64_t>(size) - denominator.exponent_;
  return detail::round_limbs(numerator.negative_ != denominator.negative_, quotient.limbs.span(),
                             exponent * kLimbBits, has_more || !quotient.is_exact);
}

double round(const ExactNumber& number) {
  return detail::round_limbs(number.negative_, number.limbs_.span(), number.exponent_ * kLimbBits, false);
}

// Bytes: sign, exponent, number of limbs, limbs.
void ExactNumber::encode(std::vector<std::byte>& out) const {
  detail::put(out, static_cast<std::uint8_t>(negative_));
  detail::put(out, static_cast<std::uint32_t>(exponent_));
  detail::put(out, static_cast<std::uint32_t>(limbs_.size()));
  for (const Limb limb : limbs_.span()) detail::put(out, limb);
}

ExactNumber ExactNumber::decode(std::span<const std::byte>& in) {
  const auto sign = detail::take<std::uint8_t>(in);
  const std::int64_t exponent = static_cast<std::int32_t>(detail::take<std::uint32_t>(in));
  const std::int64_t size = detail::take<std::uint32_t>(in);
  detail::require(sign <= 1, "exact number: unknown sign");
  detail::require(exponent >= -kLargestExponent && exponent + size <= kLargestExponent,
                  "exact number: exponent out of range");
  detail::require(size > 0 || (sign == 0 && exponent == 0), "exact number: a zero with a sign or exponent");
  detail::require(static_cast<std::size_t>(size) <= in.size() / sizeof(Limb),
                  "exact number: the bytes end too early");
  Limbs limbs(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < limbs.size(); ++i) limbs[i] = detail::take<Limb>(in);
  detail::require(limbs.empty() || (limbs.span().front() != 0 && limbs.span().back() != 0),
                  "exact number: a zero at the end");
  return ExactNumber(sign == 1, exponent, std::move(limbs));
}

}  // namespace pileus
