#pragma once

// The loops of equations over blocks of numbers, one set for each instruction set: those of the sums' kernel.
// Used by analytics. All sets give the same bits, for every operation is IEEE's own and rounds once.

#include <cstddef>

namespace pileus::detail {

/// out[i] of what stands at i. `out` overlaps none of the operands. A loop on fewer than three operands
/// leaves the others alone.
using ElementLoop = void (*)(const double* a, const double* b, const double* condition, std::size_t count,
                             double* out);

struct ElementLoops {
  const char* name;
  ElementLoop negate, absolute, square_root;
  ElementLoop add, subtract, multiply, divide;
  ElementLoop less, less_equal, equal, not_equal;  ///< 1 or 0
  ElementLoop minimum, maximum;                    ///< as those of elementary.h
  ElementLoop select;                              ///< a where condition is not 0, otherwise b
};

/// The set whose name is that of sum_kernel().
const ElementLoops& element_loops();

}  // namespace pileus::detail
