#pragma once
// Copies a model's array in one pass: from any strides and type into a dense array of the wire's type.

#include <cstddef>
#include <span>

#include "core/element_type.h"
#include "core/region.h"

namespace pileus {

/// Where a model's array lies. It may have any alignment.
struct StridedArray {
  const std::byte* first = nullptr;  ///< the first element; may be null if the array is empty
  ElementType type = ElementType::float64;
  std::span<const Index> counts;        ///< fastest first
  std::span<const Index> byte_strides;  ///< any sign; empty: dense
};

/// Whether it lies as it would in a dense array.
bool is_dense(const StridedArray& array);

/// Whether every value of `from` has a counterpart in `to`. Rounding is fine; losing fractions or part of the
/// range is not.
bool can_convert(ElementType from, ElementType to);

/// Fills `to`, a dense array of `to_type`, fastest dimension first. A double becomes the nearest float, ties
/// going to even, whatever rounding modes the model has set; NaN stays NaN, and too large values become
/// infinite.
/// REQUIRES: can_convert(from.type, to_type); `to` has memory for all; at most kMaxRank dimensions.
void copy_strided(const StridedArray& from, ElementType to_type, std::byte* to);

}  // namespace pileus
