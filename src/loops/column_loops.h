#pragma once

// The loops of sums side by side, each held in a few doubles, one set of loops for each instruction set. Used
// by SumColumns and by averages over time. All sets give the same bits.

#include <cstddef>

namespace pileus::detail {

/// No sum of columns is as large as 2 to this power.
inline constexpr int kTooLargeExponent = 1000;

/// What an addition has come to, of any of its sums.
struct ColumnsAdded {
  bool has_rest;  ///< some of it is in no part
  bool is_large;  ///< a part is not below 2^kTooLargeExponent
};

/// The divisor of sums: high + low, far from the ends of the range.
struct ColumnDivisor {
  double high = 0, low = 0;
};

/// Sum i is parts[0][i] + parts[1][i] + …, of one to four parts.
struct ColumnLoops {
  const char* name;
  /// Adds weight · values[i], rounded, to sum i, and puts into rest[i] what the parts do not hold.
  /// REQUIRES: nothing overflows.
  ColumnsAdded (*add)(double weight, const double* values, double* const* parts, std::size_t part_count,
                      double* rest, std::size_t count);
  /// What weight · values[i] loses when it is rounded. REQUIRES: ordinary ones.
  void (*product_errors)(double weight, const double* values, double* errors, std::size_t count);
  /// out[i] = sum i / divisor, correctly rounded; NaN where two doubles cannot tell.
  void (*divide)(const double* const* parts, std::size_t part_count, ColumnDivisor divisor, double* out,
                 std::size_t count);
  /// Whether the sizes of all are below 2^kTooLargeExponent; NaN is not.
  bool (*are_small)(const double* values, std::size_t count);
  /// The answer of are_ordinary_values.
  bool (*are_ordinary)(const double* values, std::size_t count);
};

/// The fastest set that this processor has, or the one that PILEUS_SUM_KERNEL names.
const ColumnLoops& column_loops();

}  // namespace pileus::detail
