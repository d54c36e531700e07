#pragma once

// A slow and obvious sum to compare with: every byte of every mantissa is counted at its place.
// Used by the tests of this room only. It shares no code with what it checks, and must not.

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace pileus::testing {

/// The sum of the values, rounded to nearest, ties to even, with IEEE's rules for NaN and infinities.
class OracleSum {
 public:
  void add(double value) {
    if (std::isnan(value)) has_nan_ = true;
    if (std::isinf(value)) (value > 0 ? has_plus_ : has_minus_) = true;
    if (!std::isfinite(value) || value == 0) return;
    int exponent = 0;
    const double fraction = std::frexp(std::fabs(value), &exponent);  // in [0.5, 1)
    add_bits(static_cast<std::uint64_t>(std::ldexp(fraction, 53)), exponent - 53, value < 0 ? -1 : 1);
  }

  /// The integer itself, whatever a double could hold.
  void add_integer(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    add_bits(value < 0 ? 0 - bits : bits, 0, value < 0 ? -1 : 1);
  }

  double round() const {
    if (has_nan_ || (has_plus_ && has_minus_)) return std::numeric_limits<double>::quiet_NaN();
    if (has_plus_ || has_minus_) return has_plus_ ? HUGE_VAL : -HUGE_VAL;
    std::vector<std::int64_t> digits = carried(counts_);
    const bool is_negative = digits.back() < 0;
    if (is_negative) {
      std::vector<std::int64_t> opposite = counts_;
      for (std::int64_t& count : opposite) count = -count;
      digits = carried(opposite);
    }
    int highest = static_cast<int>(digits.size()) * 8 - 1;
    while (highest >= 0 && !bit(digits, highest)) --highest;
    if (highest < 0) return 0;
    // The last place of the result is 52 below the first, but not below that of the subnormals.
    const int last = std::max(highest - 52, -1074 - kLowest);
    std::uint64_t mantissa = 0;
    for (int place = highest; place >= last; --place) mantissa = mantissa * 2 + (bit(digits, place) ? 1 : 0);
    bool has_more = false;
    for (int place = 0; place < last - 1; ++place) has_more = has_more || bit(digits, place);
    if (last > 0 && bit(digits, last - 1) && (has_more || mantissa % 2 == 1)) ++mantissa;
    const double magnitude = std::ldexp(static_cast<double>(mantissa), last + kLowest);
    return is_negative ? -magnitude : magnitude;
  }

 private:
  static constexpr int kLowest = -1200;  // bit 0 stands for 2^kLowest

  void add_bits(std::uint64_t bits, int exponent, int sign) {
    const int place = exponent - kLowest;
    for (int i = 0; i < 64; ++i) {
      if ((bits >> i & 1) != 0)
        counts_[static_cast<std::size_t>((place + i) / 8)] += sign * (1 << (place + i) % 8);
    }
  }
  static bool bit(const std::vector<std::int64_t>& digits, int place) {
    return (digits[static_cast<std::size_t>(place / 8)] >> place % 8 & 1) != 0;
  }
  /// Digits from 0 to 255; the last one has the sign.
  static std::vector<std::int64_t> carried(std::vector<std::int64_t> counts) {
    for (std::size_t i = 0; i + 1 < counts.size(); ++i) {
      const auto digit = counts[i] & 255;
      counts[i + 1] += (counts[i] - digit) / 256;
      counts[i] = digit;
    }
    return counts;
  }

  std::vector<std::int64_t> counts_ = std::vector<std::int64_t>(300, 0);
  bool has_nan_ = false, has_plus_ = false, has_minus_ = false;
};

inline double oracle_sum(std::span<const double> values) {
  OracleSum sum;
  for (const double value : values) sum.add(value);
  return sum.round();
}

}  // namespace pileus::testing
