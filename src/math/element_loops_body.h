// No "#pragma once": the loops of ElementLoops for the instruction set that the including file is compiled
// for. Nothing here may call an inline function of another header: the linker might take its copy, compiled
// for this instruction set, for the whole program. It must never be compiled with fast-math or contraction.

#include "math/element_loops.h"

namespace pileus::detail {
namespace {

constexpr std::size_t kStrip = kElementStrip;
constexpr double kNan = __builtin_nan("");

/// The smaller of two numbers; of zeros -0, by their signs.
inline double smaller_of(double x, double y) {
  const double smaller = x < y ? x : y;
  const double of_zeros = -(-x - y);  // -0 unless both are +0
  const double number = x == y && x == 0 ? of_zeros : smaller;
  return x != x || y != y ? kNan : number;
}

inline double larger_of(double x, double y) {
  const double larger = x > y ? x : y;
  const double of_zeros = x + y;  // +0 unless both are -0
  const double number = x == y && x == 0 ? of_zeros : larger;
  return x != x || y != y ? kNan : number;
}

#define PILEUS_STEP(name, ...)                                                         \
  case ElementOperation::name:                                                         \
    _Pragma("GCC ivdep") for (std::size_t i = 0; i < count; ++i) out[i] = __VA_ARGS__; \
    break;

/// `count` is known where this is inlined for whole strips.
inline __attribute__((always_inline)) void run_strip(const ElementStep& step, std::size_t first,
                                                     std::size_t count) {
  const double* const a = step.a + (step.repeats_a ? 0 : first);
  const double* const b = step.b + (step.repeats_b ? 0 : first);
  const double* const condition = step.condition + (step.repeats_condition ? 0 : first);
  double* const out = step.out + (step.repeats_out ? 0 : first);
  switch (step.operation) {
    PILEUS_STEP(negate, -a[i])
    PILEUS_STEP(absolute, __builtin_fabs(a[i]))
    PILEUS_STEP(square_root, a[i] >= 0 ? __builtin_sqrt(a[i]) : kNan)
    PILEUS_STEP(add, a[i] + b[i])
    PILEUS_STEP(subtract, a[i] - b[i])
    PILEUS_STEP(multiply, a[i] * b[i])
    PILEUS_STEP(divide, a[i] / b[i])
    PILEUS_STEP(less, a[i] < b[i] ? 1.0 : 0.0)
    PILEUS_STEP(less_equal, a[i] <= b[i] ? 1.0 : 0.0)
    PILEUS_STEP(equal, a[i] == b[i] ? 1.0 : 0.0)
    PILEUS_STEP(not_equal, a[i] != b[i] ? 1.0 : 0.0)
    PILEUS_STEP(minimum, smaller_of(a[i], b[i]))
    PILEUS_STEP(maximum, larger_of(a[i], b[i]))
    PILEUS_STEP(select, condition[i] != 0 ? a[i] : b[i])
  }
}

#undef PILEUS_STEP

void run(const ElementStep* steps, std::size_t step_count, std::size_t count) {
  std::size_t first = 0;
  for (; first + kStrip <= count; first += kStrip) {
    for (std::size_t s = 0; s < step_count; ++s) run_strip(steps[s], first, kStrip);
  }
  if (first == count) return;
  for (std::size_t s = 0; s < step_count; ++s) run_strip(steps[s], first, count - first);
}

}  // namespace
}  // namespace pileus::detail

#define PILEUS_DEFINE_ELEMENT_LOOPS(variable, name)    \
  namespace pileus::detail {                           \
  extern constinit const ElementLoops variable;        \
  constinit const ElementLoops variable = {name, run}; \
  }
