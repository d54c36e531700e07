#include "math/exact_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <tuple>

#include "math/bytes.h"
#include "math/exact_sum_block.h"
#include "math/limbs.h"

namespace pileus {
namespace {

constexpr std::uint64_t kMantissa = (std::uint64_t{1} << 52) - 1;
constexpr std::uint64_t kLowHalf = 0xFFFFFFFF;
constexpr std::uint64_t kMostPending = std::uint64_t{1} << 29;  // then the limbs of a merge stay below 2^63
constexpr std::size_t kSmallBlock = 32;                         // below that the block kernel does not pay
constexpr int kMostPasses = 3;
constexpr int kLowestExponent = -900;  // the splitting of smaller values would reach into the subnormals
constexpr double kLargestForBlocks = 0x1p1000;

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

/// An exponent e with |x| < 2^e for all |x| <= largest, not below what the block kernel can split.
int exponent_above(double largest) {
  const auto biased = static_cast<int>(std::bit_cast<std::uint64_t>(largest) >> 52 & 0x7FF);
  return std::max(biased - 1022, kLowestExponent);
}

double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
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
  std::int64_t* limb = &limbs_[position / 32];
  limb[0] += (static_cast<std::int64_t>(low & kLowHalf) ^ sign) - sign;
  limb[1] += (static_cast<std::int64_t>(low >> 32) ^ sign) - sign;
  limb[2] += (static_cast<std::int64_t>(high) ^ sign) - sign;
}

void ExactSum::make_room() {
  carry_upwards(limbs_);
  pending_ = 0;
}

/// One pass of the kernel over a block and, while something is left of its values, over what is left.
/// Returns false, with nothing added, where the values are too large or not finite.
template <class T>
bool ExactSum::add_block(std::span<const T> block) {
  const auto add_pass = [this](auto values, double largest) {
    const int exponent = exponent_above(largest);
    const detail::Splitting splitting{power_of_two(exponent + 8), power_of_two(exponent - 37)};
    const detail::BlockSums sums = detail::sum_block(values, splitting);
    const bool is_finite =
        std::all_of(sums.lanes.begin(), sums.lanes.end(), [](double sum) { return std::isfinite(sum); });
    if (is_finite) {
      for (const double sum : sums.lanes) add_finite(std::bit_cast<std::uint64_t>(sum));
    }
    return std::tuple(is_finite, sums.has_rest, splitting);
  };

  const double largest = detail::largest_magnitude(block);
  if (!(largest < kLargestForBlocks)) return false;
  auto [is_finite, has_rest, splitting] = add_pass(block, largest);
  if (!is_finite || !has_rest) return is_finite;

  std::array<double, detail::kBlock> buffer;
  detail::rest_of_block(block, splitting, buffer.data());
  const std::span<const double> rest(buffer.data(), block.size());
  for (int pass = 1; has_rest && pass < kMostPasses; ++pass) {
    const double largest_rest = detail::largest_magnitude(rest);
    if (largest_rest < power_of_two(kLowestExponent)) break;
    std::tie(is_finite, has_rest, splitting) = add_pass(rest, largest_rest);
    if (has_rest) detail::rest_of_block(rest, splitting, buffer.data());
  }
  if (has_rest) {
    for (const double value : rest) add_finite(std::bit_cast<std::uint64_t>(value));
  }
  return true;
}

template <class T>
void ExactSum::add_values(std::span<const T> values) {
  while (!values.empty()) {
    const std::span<const T> block = values.first(std::min(values.size(), detail::kBlock));
    values = values.subspan(block.size());
    const std::size_t in_lanes = block.size() - block.size() % detail::kLanes;
    const bool is_added = block.size() >= kSmallBlock && add_block(block.first(in_lanes));
    for (const T value : block.subspan(is_added ? in_lanes : 0)) add(static_cast<double>(value));
  }
}

template <class T>
void ExactSum::add_gathered(const T* values, std::size_t count, std::ptrdiff_t stride_elements) {
  if (stride_elements == 1) return add_values(std::span<const T>(values, count));
  std::array<T, detail::kBlock> block;
  for (std::size_t done = 0; done < count;) {
    const std::size_t size = std::min(count - done, block.size());
    for (std::size_t i = 0; i < size; ++i) {
      block[i] = values[static_cast<std::ptrdiff_t>(done + i) * stride_elements];
    }
    add_values(std::span<const T>(block.data(), size));
    done += size;
  }
}

void ExactSum::add(std::span<const double> values) { add_values(values); }
void ExactSum::add(std::span<const float> values) { add_values(values); }

void ExactSum::add_strided(const double* values, std::size_t count, std::ptrdiff_t stride_elements) {
  add_gathered(values, count, stride_elements);
}
void ExactSum::add_strided(const float* values, std::size_t count, std::ptrdiff_t stride_elements) {
  add_gathered(values, count, stride_elements);
}

void ExactSum::merge(const ExactSum& other) {
  nan_count_ += other.nan_count_;
  plus_infinity_count_ += other.plus_infinity_count_;
  minus_infinity_count_ += other.minus_infinity_count_;
  // Neither has more than kMostPending pending, so the sums of limbs fit before the carries are moved.
  pending_ += other.pending_ + 1;
  for (std::size_t i = 0; i < kLimbs; ++i) limbs_[i] += other.limbs_[i];
  if (pending_ >= kMostPending) make_room();
}

ExactSum::Magnitude ExactSum::magnitude() const {
  Magnitude result;
  std::size_t first = 0;
  std::size_t end = kLimbs;
  while (end > 0 && limbs_[end - 1] == 0) --end;
  while (first < end && limbs_[first] == 0) ++first;

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
