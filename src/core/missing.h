#pragma once
// Elements that stand for "no value": a field's own missing_value in the model, and one number of ours in
// computed values. Reductions and averages leave such elements out; files have _FillValue there.

#include <cmath>
#include <limits>
#include <optional>

#include "core/array.h"

namespace pileus {

/// The missing value of results in double precision. Source: netCDF's fill value for double and float, 15 ·
/// 2^119.
inline constexpr double kMissing = 0x1.ep+122;

/// Whether an element of `type` may be equal to it. REQUIRES: the type is one of numbers.
inline bool can_be(double value, ElementType type) {
  if (type == ElementType::float64 || type == ElementType::float32) return true;
  const double limit = type == ElementType::int32 ? 0x1p31 : type == ElementType::int64 ? 0x1p63 : 0;
  return std::trunc(value) == value && value >= -limit && value < limit;
}

/// `missing` as an array of `type` stores it: a float cannot hold -999.9 exactly.
inline double as_stored(double missing, ElementType type) {
  return type == ElementType::float32 ? static_cast<double>(static_cast<float>(missing)) : missing;
}

/// What stands for "no value" in elements that are read from published files. REQUIRES: as can_be().
inline double missing_of_files(ElementType type) {
  return type == ElementType::int32 ? -2147483647 : type == ElementType::int64 ? -0x1p63 : kMissing;
}

}  // namespace pileus
