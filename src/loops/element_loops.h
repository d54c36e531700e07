#pragma once

// The loops of equations over blocks of numbers, one set for each instruction set: those of the sums' kernel.
// Used by analytics. All sets give the same bits, for every operation is IEEE's own and rounds once; but
// which NaN an operation makes of others is the compiler's choice, until one_nan makes one of them.

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
  select,  ///< a where c is not 0, otherwise b
  one_nan  ///< a; every NaN becomes the same one
};

inline constexpr int kElementOperations = static_cast<int>(ElementOperation::one_nan) + 1;

/// What a step goes on with, while the result r of its operation is in a register.
enum class ElementFollow : std::uint8_t {
  nothing,
  absolute,
  square_root,
  add,              ///< r + c
  subtract,         ///< r - c
  multiply,         ///< r * c
  divide,           ///< r / c
  added,            ///< c + r
  subtracted_from,  ///< c - r
  multiplied,       ///< c * r
  divided_by,       ///< c / r
  selects           ///< c where r is not 0, otherwise d
};
inline constexpr int kElementFollows = static_cast<int>(ElementFollow::selects) + 1;

constexpr bool is_comparison(ElementOperation operation) {
  return operation >= ElementOperation::less && operation <= ElementOperation::not_equal;
}

/// Whether there is a loop for both together.
constexpr bool can_follow(ElementOperation operation, ElementFollow follow) {
  if (follow == ElementFollow::nothing) return true;
  if (follow == ElementFollow::selects) return is_comparison(operation);
  return operation == ElementOperation::absolute ||
         (operation >= ElementOperation::add && operation <= ElementOperation::divide);
}

/// Numbers that all steps pass over before the next numbers are taken.
inline constexpr std::size_t kElementStrip = 64;

/// out[i] of what stands at i. `out` is no operand at another place. Those operands that the operation lacks
/// count for nothing, but point to as many numbers.
struct ElementStep {
  ElementOperation operation;
  ElementFollow follow = ElementFollow::nothing;
  const double* a;
  const double* b;
  const double* c;  ///< the condition of select
  const double* d;
  double* out;
  /// Which of them are one strip long, of numbers that every strip finds or leaves there: no place in memory
  /// for the rest.
  bool repeats_a = false, repeats_b = false, repeats_c = false, repeats_d = false, repeats_out = false;
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
