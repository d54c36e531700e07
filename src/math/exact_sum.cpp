#include "math/exact_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "math/bytes.h"
#include "math/limbs.h"

namespace pileus {
namespace {

constexpr std::uint64_t kMantissa = (std::uint64_t{1} << 52) - 1;
constexpr std::uint64_t kLowHalf = 0xFFFFFFFF;
constexpr std::uint64_t kMostPending = std::uint64_t{1} << 29;  // then the limbs of a merge stay below 2^63

enum Flags : std::uint8_t { kNegative = 1, kNonFinite = 2 };

void carry_upwards(std::array<std::int64_t, ExactSum::kLimbs>& limbs) {
  std::int64_t carry = 0;
  for (std::size_t i = 0; i + 1 < limbs.size(); ++i) {
    const std::int64_t limb = limbs[i] + carry;
    carry = limb >> detail::kLimbBits;
    limbs[i] = limb & static_cast<std::int64_t>(kLowHalf);
  }
  limbs.back() += carry;
}

}  // namespace

void ExactSum::add(double value) {
  if (std::isfinite(value)) {
    add_finite(std::bit_cast<std::uint64_t>(value));
  } else if (std::isnan(value)) {
    ++nan_count_;
  } else {
    ++(value > 0 ? plus_infinity_count_ : minus_infinity_count_);
  }
}

void ExactSum::add_finite(std::uint64_t bits) {
  const std::uint64_t biased = bits >> 52 & 0x7FF;
  const std::uint64_t mantissa = biased == 0 ? bits & kMantissa : (bits & kMantissa) | (kMantissa + 1);
  if (mantissa == 0) return;
  if (pending_ >= kMostPending) make_room();
  ++pending_;
  // Bit 0 of the mantissa stands for 2^(max(biased, 1) - 1075); bit 0 of limb 0 for 2^-1088.
  const std::uint64_t position = std::max<std::uint64_t>(biased, 1) + 13;
  const std::uint64_t shift = position % 32;
  const std::uint64_t low = mantissa << shift;
  const std::uint64_t high = mantissa >> 1 >> (63 - shift);
  const auto sign = static_cast<std::int64_t>(bits) >> 63;  // 0 or -1; (x ^ sign) - sign is ±x
  const auto place = static_cast<std::uint32_t>(position / 32);
  first_used_ = std::min(first_used_, place);
  end_used_ = std::max(end_used_, place + 3);
  std::int64_t* limb = &limbs_[place];
  limb[0] += (static_cast<std::int64_t>(low & kLowHalf) ^ sign) - sign;
  limb[1] += (static_cast<std::int64_t>(low >> 32) ^ sign) - sign;
  limb[2] += (static_cast<std::int64_t>(high) ^ sign) - sign;
}

void ExactSum::make_room() {
  carry_upwards(limbs_);
  end_used_ = kLimbs;  // a negative sum's carries go all the way up
  pending_ = 0;
}

void ExactSum::add_integer(std::int64_t value) {
  // Both halves are doubles: the upper a multiple of 2^32, the lower below 2^32.
  add(static_cast<double>(value >> 32) * 0x1p32);
  add(static_cast<double>(value & static_cast<std::int64_t>(kLowHalf)));
}

void ExactSum::merge(const ExactSum& other) {
  nan_count_ += other.nan_count_;
  plus_infinity_count_ += other.plus_infinity_count_;
  minus_infinity_count_ += other.minus_infinity_count_;
  // Neither has more than kMostPending pending, so the sums of limbs fit before the carries are moved.
  pending_ += other.pending_ + 1;
  for (std::size_t i = other.first_used_; i < other.end_used_; ++i) limbs_[i] += other.limbs_[i];
  first_used_ = std::min(first_used_, other.first_used_);
  end_used_ = std::max(end_used_, other.end_used_);
  if (pending_ >= kMostPending) make_room();
}

ExactSum::Magnitude ExactSum::magnitude() const {
  Magnitude result;
  std::size_t first = first_used_;
  std::size_t end = end_used_;
  while (end > first && limbs_[end - 1] == 0) --end;
  while (first < end && limbs_[first] == 0) ++first;
  if (first >= end) return result;

  // A carry below zero out of the highest limb means that the sum is negative: its opposite then has none.
  const auto carry_through = [&](std::int64_t sign) {
    std::int64_t carry = 0;
    for (std::size_t i = first; i < end; ++i) {
      const std::int64_t limb = sign * limbs_[i] + carry;
      result.limbs[i] = static_cast<std::uint32_t>(limb);
      carry = limb >> detail::kLimbBits;
    }
    return carry;
  };
  std::int64_t carry = carry_through(1);
  result.negative = carry < 0;
  if (result.negative) carry = carry_through(-1);
  if (end < kLimbs) result.limbs[end++] = static_cast<std::uint32_t>(carry);

  while (end > first && result.limbs[end - 1] == 0) --end;
  while (first < end && result.limbs[first] == 0) ++first;
  result.count = end - first;
  result.first = result.count > 0 ? first : 0;
  return result;
}

bool ExactSum::is_finite() const {
  return nan_count_ == 0 && plus_infinity_count_ == 0 && minus_infinity_count_ == 0;
}

bool ExactSum::is_zero() const { return is_finite() && magnitude().count == 0; }

double ExactSum::round() const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (nan_count_ > 0 || (plus_infinity_count_ > 0 && minus_infinity_count_ > 0)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (plus_infinity_count_ > 0) return kInfinity;
  if (minus_infinity_count_ > 0) return -kInfinity;
  const Magnitude sum = magnitude();
  const int exponent = detail::kLimbBits * (static_cast<int>(sum.first) + kFirstExponent);
  return detail::round_limbs(sum.negative, sum.used(), exponent, false);
}

bool operator==(const ExactSum& a, const ExactSum& b) {
  auto left = a.limbs_;
  auto right = b.limbs_;
  carry_upwards(left);
  carry_upwards(right);
  return left == right && a.nan_count_ == b.nan_count_ && a.plus_infinity_count_ == b.plus_infinity_count_ &&
         a.minus_infinity_count_ == b.minus_infinity_count_;
}

// Bytes: flags, first limb, number of limbs, [three counters], limbs.
void ExactSum::encode(std::vector<std::byte>& out) const {
  const Magnitude sum = magnitude();
  const auto flags = (sum.negative ? kNegative : 0) | (is_finite() ? 0 : kNonFinite);
  detail::put(out, static_cast<std::uint8_t>(flags));
  detail::put(out, static_cast<std::uint8_t>(sum.first));
  detail::put(out, static_cast<std::uint8_t>(sum.count));
  if (!is_finite()) {
    detail::put(out, nan_count_);
    detail::put(out, plus_infinity_count_);
    detail::put(out, minus_infinity_count_);
  }
  for (const std::uint32_t limb : sum.used()) detail::put(out, limb);
}

ExactSum ExactSum::decode(std::span<const std::byte>& in) {
  const auto flags = detail::take<std::uint8_t>(in);
  const std::size_t first = detail::take<std::uint8_t>(in);
  const std::size_t count = detail::take<std::uint8_t>(in);
  detail::require((flags & ~(kNegative | kNonFinite)) == 0, "exact sum: unknown flags");
  detail::require(first + count <= kLimbs, "exact sum: limbs beyond the range of doubles");
  detail::require(count > 0 || (first == 0 && (flags & kNegative) == 0),
                  "exact sum: a zero with a place or sign");
  ExactSum sum;
  if (count > 0) {
    sum.first_used_ = static_cast<std::uint32_t>(first);
    sum.end_used_ = static_cast<std::uint32_t>(first + count);
  }
  if ((flags & kNonFinite) != 0) {
    sum.nan_count_ = detail::take<std::uint64_t>(in);
    sum.plus_infinity_count_ = detail::take<std::uint64_t>(in);
    sum.minus_infinity_count_ = detail::take<std::uint64_t>(in);
    detail::require(!sum.is_finite(), "exact sum: counters without a count");
  }
  for (std::size_t i = first; i < first + count; ++i) {
    const std::int64_t limb = detail::take<std::uint32_t>(in);
    detail::require(limb != 0 || (i != first && i + 1 != first + count), "exact sum: a zero at the end");
    sum.limbs_[i] = (flags & kNegative) != 0 ? -limb : limb;
  }
  return sum;
}

}  // namespace pileus
