#pragma once

// The loops of averages over time of whole arrays: DoubleDouble::add_product for many points at once, one set
// of loops for each instruction set. Used by the averaging windows. All sets give the same bits.

#include <cstddef>
#include <cstdint>

#include "loops/double_double.h"

namespace pileus::detail {

/// Point i is high[i] + low[i].
struct RunningSumLoops {
  const char* name;
  /// Adds weight · values[i] to every point. A point that is NaN is one and the same NaN.
  void (*add_doubles)(double weight, const double* values, double* high, double* low, std::size_t count);
  void (*add_floats)(double weight, const float* values, double* high, double* low, std::size_t count);
  void (*add_integers)(double weight, const std::int32_t* values, double* high, double* low,
                       std::size_t count);
  /// out[i] = point i / divisor, correct to the last bit but for ties that the 106 bits cannot tell.
  void (*divide)(const double* high, const double* low, DoubleDouble divisor, double* out, std::size_t count);
};

/// The fastest set that this processor has, or the one that PILEUS_SUM_KERNEL names.
const RunningSumLoops& running_sum_loops();

}  // namespace pileus::detail
