#pragma once

// The fit of a block says which units the loops of SumKernel need for its values, and whether those that were
// guessed were enough. Used by ExactSum. What does not fit must never be taken.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "loops/sum_kernel.h"

namespace pileus::detail {

inline constexpr double kLargestForBlocks = 0x1p1000;

inline int biased_exponent(double value) {
  return static_cast<int>(std::bit_cast<std::uint64_t>(value) >> 52 & 0x7FF);
}

/// An exponent and a number of folds: see BlockSum.
struct BlockFit {
  int exponent = 0;
  int folds = 1;

  /// The least that takes values of these magnitudes; more than kMostFolds folds where none does.
  /// REQUIRES: largest < kLargestForBlocks.
  static BlockFit of(double largest, double below_smallest) {
    constexpr int kLowestExponent = -1000;  // then the bases are above the subnormals
    const int exponent = std::max(biased_exponent(largest) - 1022, kLowestExponent);
    return {exponent, folds_needed(exponent, below_smallest)};
  }

  /// A few values say roughly how large all are; what is larger is seen afterwards. REQUIRES: count > 0.
  template <class T>
  static BlockFit guess(const T* values, std::size_t count, std::ptrdiff_t stride) {
    constexpr int kMargin = 3;
    double largest = 0;
    for (const std::size_t place : {std::size_t{0}, count / 2, count - 1}) {
      const double value =
          std::fabs(static_cast<double>(values[static_cast<std::ptrdiff_t>(place) * stride]));
      if (value > largest && value < kLargestForBlocks / 16) largest = value;
    }
    return {of(largest, largest).exponent + kMargin, 1};
  }

  bool takes(double largest, double below_smallest) const {
    return biased_exponent(largest) - 1022 <= exponent && folds_needed(exponent, below_smallest) <= folds;
  }

  /// It takes magnitudes below this, of which the smallest is least() or more, as below_smallest has it.
  double limit() const { return std::min(power_of_two(exponent), kLargestForBlocks); }
  double least() const {
    const int unit = exponent + 11 - 53 - kFoldBits * folds;
    return unit <= -1074 ? 0 : power_of_two(unit + 52);
  }

  double base(int fold) const {
    const int power = exponent + 10 - kFoldBits * fold;
    // Further down plain additions are exact, because everything is a multiple of 2^-1074.
    if (power < -1022) return 0;
    return std::bit_cast<double>(static_cast<std::uint64_t>(power + 1023) << 52 | std::uint64_t{1} << 51);
  }

 private:
  /// REQUIRES: no subnormal.
  static double power_of_two(int power) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(power + 1023) << 52);
  }
  /// After f folds 2^11 rests of at most 2^(exponent - 43 f) are left, together at most 2^53 lowest units.
  static int folds_needed(int exponent, double below_smallest) {
    const int unit = std::max(biased_exponent(below_smallest), 1) - 1075;
    const int needed = (exponent + 11 - 53 - unit + kFoldBits - 1) / kFoldBits;
    return needed <= 1 ? 1 : needed == 2 ? 2 : std::max(needed, kMostFolds);
  }
};

}  // namespace pileus::detail
