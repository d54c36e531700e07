#pragma once
// The one pass over a model's array: from any strides and type into a dense array of the wire's type.

#include <cstddef>
#include <span>

#include "core/element_type.h"
#include "core/region.h"

namespace pileus {

/// Where a model's array lies. Nothing is assumed about alignment.
struct StridedArray {
  const std::byte* first = nullptr;  ///< the first element; may be null if the array is empty
  ElementType type = ElementType::float64;
  std::span<const Index> counts;        ///< fastest first
  std::span<const Index> byte_strides;  ///< any sign; empty: dense
};

/// Whether every value of `from` has a counterpart in `to`: rounding is fine, fractions and ranges that are
/// lost not.
bool can_convert(ElementType from, ElementType to);

/// Fills `to`, a dense array of `to_type`, fastest dimension first. double to float rounds to nearest, ties
/// to even, whatever modes the model has set; NaN stays NaN, and what is too large becomes infinite.
/// REQUIRES: can_convert(from.type, to_type); `to` has room; at most kMaxRank dimensions.
void copy_strided(const StridedArray& from, ElementType to_type, std::byte* to);

}  // namespace pileus
