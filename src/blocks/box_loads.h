#pragma once
// Loads: how boxes of an equation's inputs become rows of doubles.

#include <span>

#include "core/array.h"

namespace pileus {

/// Copies a box of an array to `out`, densely, from element number `first`. `strides`: of the box's
/// dimensions, like `counts`.
void load_box(const Array& array, Index first, std::span<const Index> counts, std::span<const Index> strides,
              double* out);

/// Whether a box lies in memory as its copy would.
bool lies_densely(std::span<const Index> counts, std::span<const Index> strides);

}  // namespace pileus
