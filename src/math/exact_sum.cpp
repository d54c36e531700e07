#include "math/exact_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "loops/double_double.h"
#include "math/bytes.h"
#include "math/limbs.h"

namespace pileus {
namespace {

/// The number of addends that an exact sum takes.
constexpr std::uint64_t kMostValues = std::uint64_t{1} << 60;

constexpr std::uint64_t kMantissa = (std::uint64_t{1} << 52) - 1;
constexpr std::uint64_t kLowHalf = 0xFFFFFFFF;
constexpr double kTooLargeForTwo = 0x1p1000;
constexpr std::uint64_t kMostPending = std::uint64_t{1} << 29;  // then the limbs of a merge stay below 2^63

enum Flags : std::uint8_t { kNegative = 1, kNonFinite = 2 };

void carry_upwards(std::span<std::int64_t> limbs) {
  std::int64_t carry = 0;
  for (std::size_t i = 0; i + 1 < limbs.size(); ++i) {
    const std::int64_t limb = limbs[i] + carry;
    carry = limb >> detail::kLimbBits;
    limbs[i] = limb & static_cast<std::int64_t>(kLowHalf);
  }
  limbs.back() += carry;
}

}  // namespace

ExactSum& ExactSum::operator=(const ExactSum& other) {
  high_ = other.high_;
  low_ = other.low_;
  first_used_ = other.first_used_;
  end_used_ = other.end_used_;
  for (std::size_t i = first_used_; i < end_used_; ++i) limbs_[i] = other.limbs_[i];
  pending_ = other.pending_;
  nan_count_ = other.nan_count_;
  plus_infinity_count_ = other.plus_infinity_count_;
  minus_infinity_count_ = other.minus_infinity_count_;
  return *this;
}

void ExactSum::add(double value) {
  if (std::isfinite(value)) {
    add_finite(value);
  } else if (std::isnan(value)) {
    ++nan_count_;
  } else {
    ++(value > 0 ? plus_infinity_count_ : minus_infinity_count_);
  }
}

/// To the two doubles as long as they hold all. Once there are limbs, they are the shorter way.
void ExactSum::add_finite(double value) {
  if (!has_limbs()) {
    const WithError sum = two_sum(high_, value), rest = two_sum(low_, sum.error);
    if (rest.error == 0 && std::fabs(sum.high) < kTooLargeForTwo) {  // neither where something overflowed
      high_ = sum.high;
      low_ = rest.high;
      return;
    }
  }
  add_to_limbs(std::bit_cast<std::uint64_t>(value));
}

void ExactSum::use(std::uint32_t first, std::uint32_t end) {
  if (!has_limbs()) first_used_ = end_used_ = first;
  for (; first_used_ > first; --first_used_) limbs_[first_used_ - 1] = 0;
  for (; end_used_ < end; ++end_used_) limbs_[end_used_] = 0;
}

void ExactSum::add_to_limbs(std::uint64_t bits) {
  const std::uint64_t biased = bits >> 52 & 0x7FF;
  const std::uint64_t mantissa = biased == 0 ? bits & kMantissa : (bits & kMantissa) | (kMantissa + 1);
  if (mantissa == 0) return;
  if (pending_ >= kMostPending) carry_all();
  ++pending_;
  // Bit 0 of the mantissa stands for 2^(max(biased, 1) - 1075); bit 0 of limb 0 for 2^-1088.
  const std::uint64_t position = std::max<std::uint64_t>(biased, 1) + 13;
  const std::uint64_t shift = position % 32;
  const std::uint64_t low = mantissa << shift;
  const std::uint64_t high = mantissa >> 1 >> (63 - shift);
  const auto sign = static_cast<std::int64_t>(bits) >> 63;  // 0 or -1; (x ^ sign) - sign is ±x
  const auto place = static_cast<std::uint32_t>(position / 32);
  use(place, place + 3);
  std::int64_t* limb = &limbs_[place];
  limb[0] += (static_cast<std::int64_t>(low & kLowHalf) ^ sign) - sign;
  limb[1] += (static_cast<std::int64_t>(low >> 32) ^ sign) - sign;
  limb[2] += (static_cast<std::int64_t>(high) ^ sign) - sign;
}

void ExactSum::carry_all() {
  use(first_used_, kLimbs);  // a negative sum's carries go all the way up
  carry_upwards(std::span(limbs_).subspan(first_used_));
  pending_ = 0;
}

/// The same sum, all of it in limbs.
ExactSum ExactSum::in_limbs() const {
  ExactSum sum = *this;
  for (double* const part : {&sum.high_, &sum.low_}) {
    sum.add_to_limbs(std::bit_cast<std::uint64_t>(*part));
    *part = 0;
  }
  return sum;
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
  if (other.has_limbs()) merge_limbs(other);
  for (const double part : {other.high_, other.low_}) add_finite(part);
}

void ExactSum::merge_limbs(const ExactSum& other) {
  // Neither has more than kMostPending pending, so the sums of limbs fit before the carries are moved.
  pending_ += other.pending_ + 1;
  use(other.first_used_, other.end_used_);
  for (std::size_t i = other.first_used_; i < other.end_used_; ++i) limbs_[i] += other.limbs_[i];
  if (pending_ >= kMostPending) carry_all();
}

ExactSum::Magnitude ExactSum::magnitude() const {
  return high_ == 0 && low_ == 0 ? magnitude_of_limbs() : in_limbs().magnitude_of_limbs();
}

ExactSum::Magnitude ExactSum::magnitude_of_limbs() const {
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

std::optional<std::array<double, 2>> ExactSum::two_doubles() const {
  if (!is_finite() || has_limbs()) return std::nullopt;
  const WithError sum = two_sum(high_, low_);
  return std::array{sum.high, sum.error};
}

bool ExactSum::is_finite() const {
  return nan_count_ == 0 && plus_infinity_count_ == 0 && minus_infinity_count_ == 0;
}

bool ExactSum::is_zero() const {
  if (!is_finite()) return false;
  return has_limbs() ? magnitude().count == 0 : high_ + low_ == 0;
}

double ExactSum::round() const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (nan_count_ > 0 || (plus_infinity_count_ > 0 && minus_infinity_count_ > 0)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (plus_infinity_count_ > 0) return kInfinity;
  if (minus_infinity_count_ > 0) return -kInfinity;
  if (!has_limbs()) return high_ + low_;  // the one rounding; never -0, for they began at +0
  const Magnitude sum = magnitude();
  const int exponent = detail::kLimbBits * (static_cast<int>(sum.first) + kFirstExponent);
  return detail::round_limbs(sum.negative, sum.used(), exponent, false);
}

std::array<std::int64_t, ExactSum::kLimbs> ExactSum::carried_limbs() const {
  const ExactSum sum = in_limbs();
  std::array<std::int64_t, kLimbs> limbs{};
  for (std::size_t i = sum.first_used_; i < sum.end_used_; ++i) limbs[i] = sum.limbs_[i];
  carry_upwards(limbs);
  return limbs;
}

bool operator==(const ExactSum& a, const ExactSum& b) {
  return a.carried_limbs() == b.carried_limbs() && a.nan_count_ == b.nan_count_ &&
         a.plus_infinity_count_ == b.plus_infinity_count_ &&
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
  if (count > 0) sum.use(static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(first + count));
  if ((flags & kNonFinite) != 0) {
    sum.nan_count_ = detail::take<std::uint64_t>(in);
    sum.plus_infinity_count_ = detail::take<std::uint64_t>(in);
    sum.minus_infinity_count_ = detail::take<std::uint64_t>(in);
    detail::require(!sum.is_finite(), "exact sum: counters without a count");
    for (const std::uint64_t values : {sum.nan_count_, sum.plus_infinity_count_, sum.minus_infinity_count_})
      detail::require(values < kMostValues, "exact sum: more values than can be");
  }
  for (std::size_t i = first; i < first + count; ++i) {
    const std::int64_t limb = detail::take<std::uint32_t>(in);
    detail::require(limb != 0 || (i != first && i + 1 != first + count), "exact sum: a zero at the end");
    sum.limbs_[i] = (flags & kNegative) != 0 ? -limb : limb;
  }
  return sum;
}

}  // namespace pileus
