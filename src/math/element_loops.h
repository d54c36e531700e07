#pragma once

// The loops of equations over blocks of numbers, one set for each instruction set: those of the sums' kernel.
// Used by analytics. All sets give the same bits, for every operation is IEEE's own and rounds once.

#include <cstddef>
#include <cstdint>

namespace pileus::detail {

enum class ElementOperation : std::uint8_t {
  negate,
  absolute,
  square_root,
  add,
  subtract,
  multiply,
  divide,
  less,  ///< comparisons give 1 or 0
  less_equal,
  equal,
  not_equal,
  minimum,  ///< as those of elementary.h
  maximum,
  select  ///< a where condition is not 0, otherwise b
};

/// Numbers that all steps pass over before the next numbers are taken.
inline constexpr std::size_t kElementStrip = 64;

/// out[i] of what stands at i. `out` is none of the operands; those that the operation lacks count for
/// nothing, but point to as many numbers.
struct ElementStep {
  ElementOperation operation;
  const double* a;
  const double* b;
  const double* condition;
  double* out;
  /// Which of them are one strip long, of numbers that every strip finds or leaves there: no place in memory
  /// for the rest.
  bool repeats_a = false, repeats_b = false, repeats_condition = false, repeats_out = false;
};

struct ElementLoops {
  const char* name;
  /// The steps in their order, a few numbers at a time, so that a step's memory and long operations overlap
  /// with what the others do.
  void (*run)(const ElementStep* steps, std::size_t step_count, std::size_t count);
};

/// The set whose name is that of sum_kernel().
const ElementLoops& element_loops();

}  // namespace pileus::detail
