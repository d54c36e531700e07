#pragma once
// Elements that stand for "no value": a field's own missing_value in the model, and one number of ours in
// computed values. Reductions and averages leave such elements out; files have _FillValue there.

#include <limits>
#include <optional>

#include "core/array.h"

namespace pileus {

/// The missing value of results in double precision. Source: netCDF's fill value for double and float, 15 ·
/// 2^119.
inline constexpr double kMissing = 0x1.ep+122;

/// `missing` as an array of `type` stores it: a float cannot hold -999.9 exactly.
inline double as_stored(double missing, ElementType type) {
  return type == ElementType::float32 ? static_cast<double>(static_cast<float>(missing)) : missing;
}

}  // namespace pileus
