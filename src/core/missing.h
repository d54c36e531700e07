#pragma once
// Elements that stand for "no value": the model's own missing_value in fields, one number of ours in what is
// computed from them. Reductions and averages leave them out; files have _FillValue there.

#include <limits>
#include <optional>

#include "core/array.h"

namespace pileus {

/// In results of double precision. Source: the fill value of netCDF for double and float, 15 · 2^119.
inline constexpr double kMissing = 0x1.ep+122;

/// `missing` as an array of `type` holds it: a float cannot hold -999.9.
inline double as_stored(double missing, ElementType type) {
  return type == ElementType::float32 ? static_cast<double>(static_cast<float>(missing)) : missing;
}

}  // namespace pileus
