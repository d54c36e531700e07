// No "#pragma once": the loops of ElementLoops for the instruction set that the including file is compiled
// for. Nothing here may call an inline function of another header: the linker might take its copy, compiled for
// this instruction set, for the whole program. It must never be compiled with fast-math or with contraction.

#include "math/element_loops.h"

namespace pileus::detail {
namespace {

constexpr double kNan = __builtin_nan("");

#define PILEUS_LOOP(name, ...)                                                                        \
  void name([[maybe_unused]] const double* __restrict a, [[maybe_unused]] const double* __restrict b, \
            [[maybe_unused]] const double* __restrict condition, std::size_t count,                   \
            double* __restrict out) {                                                                 \
    for (std::size_t i = 0; i < count; ++i) out[i] = __VA_ARGS__;                                     \
  }

PILEUS_LOOP(negate, -a[i])
PILEUS_LOOP(absolute, __builtin_fabs(a[i]))
PILEUS_LOOP(square_root, a[i] >= 0 ? __builtin_sqrt(a[i]) : kNan)
PILEUS_LOOP(add, a[i] + b[i])
PILEUS_LOOP(subtract, a[i] - b[i])
PILEUS_LOOP(multiply, a[i] * b[i])
PILEUS_LOOP(divide, a[i] / b[i])
PILEUS_LOOP(less, a[i] < b[i] ? 1.0 : 0.0)
PILEUS_LOOP(less_equal, a[i] <= b[i] ? 1.0 : 0.0)
PILEUS_LOOP(equal, a[i] == b[i] ? 1.0 : 0.0)
PILEUS_LOOP(not_equal, a[i] != b[i] ? 1.0 : 0.0)
PILEUS_LOOP(select, condition[i] != 0 ? a[i] : b[i])

#undef PILEUS_LOOP

/// The smaller of two numbers; of zeros -0, by their signs.
void minimum(const double* __restrict a, const double* __restrict b, const double*, std::size_t count,
             double* __restrict out) {
  for (std::size_t i = 0; i < count; ++i) {
    const double x = a[i], y = b[i];
    const double smaller = x < y ? x : y;
    const double of_zeros = -(-x - y);  // -0 unless both are +0
    const double number = x == y && x == 0 ? of_zeros : smaller;
    out[i] = x != x || y != y ? kNan : number;
  }
}

void maximum(const double* __restrict a, const double* __restrict b, const double*, std::size_t count,
             double* __restrict out) {
  for (std::size_t i = 0; i < count; ++i) {
    const double x = a[i], y = b[i];
    const double larger = x > y ? x : y;
    const double of_zeros = x + y;  // +0 unless both are -0
    const double number = x == y && x == 0 ? of_zeros : larger;
    out[i] = x != x || y != y ? kNan : number;
  }
}

}  // namespace

}  // namespace pileus::detail

#define PILEUS_DEFINE_ELEMENT_LOOPS(variable, name)                                                \
  namespace pileus::detail {                                                                       \
  extern constinit const ElementLoops variable;                                                    \
  constinit const ElementLoops variable = {name,     negate,    absolute, square_root, add,        \
                                           subtract, multiply,  divide,   less,        less_equal, \
                                           equal,    not_equal, minimum,  maximum,     select};    \
  }
