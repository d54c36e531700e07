#pragma once

// Which products have errors that are doubles, so that exact_product gives what fma gives: those of weights
// and values within these bounds. Used by the sums over time of this room.

#include <cmath>
#include <cstddef>

namespace pileus::detail {
namespace {  // compiled for several instruction sets, which must not share it

inline bool is_ordinary_weight(double weight) { return weight > 0x1p-100 && weight < 0x1p100; }

/// NaN and infinities are not; zeros are.
template <class T>
bool are_ordinary_values(const T* values, std::size_t count) {
  bool is_any_other = false;
  for (std::size_t i = 0; i < count; ++i) {
    const double size = std::fabs(static_cast<double>(values[i]));
    is_any_other |= !((size > 0x1p-800) & (size < 0x1p900)) & (size != 0);
  }
  return !is_any_other;
}

}  // namespace
}  // namespace pileus::detail
