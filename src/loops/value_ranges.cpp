#include "loops/value_ranges.h"

#include <algorithm>
#include <bit>

#include "loops/sum_kernel.h"

namespace pileus::detail {
namespace {

constexpr std::int32_t kDigits = 53;

std::int32_t biased_exponent_of(double value) {
  return static_cast<std::int32_t>(std::bit_cast<std::uint64_t>(value) >> 52 & 0x7FF);
}

}  // namespace

ValueRange ValueRange::zero() { return {kZero, -kZero, -kZero}; }
ValueRange ValueRange::unknown() { return {kUnknown, -kUnknown, -kUnknown}; }

ValueRange ValueRange::of(double largest, double below_smallest, int digits) {
  if (largest == 0) return zero();
  const std::int32_t low = biased_exponent_of(below_smallest) - 1023;
  return ValueRange{biased_exponent_of(largest) - 1022, low, low - (digits - 1)}.checked();
}

ValueRange ValueRange::checked() const {
  if (is_zero()) return zero();
  return high > kHighest || low < kLowest ? unknown() : *this;
}

ValueRange product_range(ValueRange a, ValueRange b) {
  if (!a.is_known() || !b.is_known()) return ValueRange::unknown();
  if (a.is_zero() || b.is_zero()) return ValueRange::zero();
  // A rounded product is as large as the smallest one, and has all trailing zeros that the exact one has.
  const std::int32_t low = a.low + b.low;
  return ValueRange{a.high + b.high, low, std::max(low - (kDigits - 1), a.unit + b.unit)}.checked();
}

ValueRange sum_range(ValueRange a, ValueRange b) {
  if (!a.is_known() || !b.is_known()) return ValueRange::unknown();
  if (a.is_zero()) return b;
  if (b.is_zero()) return a;
  const std::int32_t unit = std::min(a.unit, b.unit);
  return ValueRange{std::max(a.high, b.high) + 1, unit, unit}.checked();
}

int headroom_for(std::int64_t values) {
  return 2 +
         static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(values, 1) - 1)));
}

int folds_for(const ValueRange& range, int headroom) {
  constexpr int kTooMany = 99;
  if (!range.is_known()) return kTooMany;
  if (range.is_zero()) return 1;
  // What f folds leave of each value is at most 2^(high + (headroom - 53) f), of all of them 2^(headroom - 2)
  // times that, and plain sums of it are exact up to 2^53 units.
  const int too_much = range.high + headroom - 2 - kDigits - range.unit;
  const int by_fold = kDigits - headroom;
  return std::max(1, (too_much + by_fold - 1) / by_fold);
}

double base_of_fold(const ValueRange& range, int headroom, int fold) {
  const int high = range.is_zero() ? 0 : range.high;
  const int power = high + headroom - (kDigits - headroom) * fold;
  return std::bit_cast<double>(static_cast<std::uint64_t>(power + 1023) << 52 | std::uint64_t{1} << 51);
}

int pieces_for(const ValueRange& range) {
  // Then all pieces and products are far from overflow and from subnormals.
  constexpr std::int32_t kLargest = 480, kSmallest = -440;
  constexpr int kNone = kMostPieces + 1;
  if (!range.is_known()) return kNone;
  if (range.is_zero()) return kFewestPieces;
  if (range.high > kLargest || range.low < kSmallest) return kNone;
  for (int pieces = kFewestPieces; pieces <= kMostPieces; ++pieces)
    if (range.high - range.unit < 22 * pieces) return pieces;
  return kNone;
}

double cut_for(const ValueRange& range) {
  const int power = (range.is_zero() ? 0 : range.high) + 31;
  return std::bit_cast<double>(static_cast<std::uint64_t>(power + 1023) << 52 | std::uint64_t{1} << 51);
}

}  // namespace pileus::detail
