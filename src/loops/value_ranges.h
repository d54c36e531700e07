#pragma once

// How large and how fine the values of a column can be, and how they are cut so that SweepLoops adds them
// without error. Used by the sweeps of analytics. A range must never be narrower than the values are.

#include <cstdint>

namespace pileus::detail {

/// Every value x is 0 or has 2^low <= |x| < 2^high; all are integers times 2^unit.
struct ValueRange {
  std::int32_t high, low, unit;

  /// `digits`: binary ones of each value, 24 of floats.
  /// REQUIRES: as SweepLoops finds them; no NaN among the values.
  static ValueRange of(double largest, double below_smallest, int digits = 53);
  static ValueRange zero();
  /// Of values of which nothing is known, not even that they are finite.
  static ValueRange unknown();
  bool is_known() const { return high < kUnknown; }
  bool is_zero() const { return high < kZero + kSlack; }

  friend bool operator==(const ValueRange&, const ValueRange&) = default;

  // Exponents are far enough from those at which doubles end for all that a sweep makes of them.
  static constexpr std::int32_t kHighest = 700, kLowest = -700;

 private:
  friend ValueRange product_range(ValueRange a, ValueRange b);
  friend ValueRange sum_range(ValueRange a, ValueRange b);
  static constexpr std::int32_t kUnknown = 9000, kZero = -4000, kSlack = 1000;
  ValueRange checked() const;
};

/// Of all rounded products.
ValueRange product_range(ValueRange a, ValueRange b);
/// Of all rounded sums and differences.
ValueRange sum_range(ValueRange a, ValueRange b);

/// 2^headroom is four times the number of values that one running sum takes, or more.
int headroom_for(std::int64_t values);
/// How many folds make the sum of the values exact; more than there are, where none does.
int folds_for(const ValueRange& range, int headroom);
/// Where the running sum of a fold starts. REQUIRES: a range that is known.
double base_of_fold(const ValueRange& range, int headroom, int fold);

/// In how many pieces products of such values are exact, as PieceSums has them; more than kMostPieces, where
/// in none.
int pieces_for(const ValueRange& range);
/// The first cut of such values. REQUIRES: a range that is known.
double cut_for(const ValueRange& range);

}  // namespace pileus::detail
