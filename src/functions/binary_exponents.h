#pragma once

// log2 and 2^x in pairs of doubles, for powers, exponentials and logarithms. They use additions and
// multiplications alone, with tables that are computed on first use, so that every processor gives the same
// bits. Used in this room only.

#include "loops/pair.h"

namespace pileus::detail {

inline constexpr int kSubnormalExponent = -1010;  // below it a result may be subnormal
inline constexpr Pair kLn2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
inline constexpr Pair kLog2E{0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};

/// mantissa · 2^exponent with the mantissa from 0.7 to 1.42.
struct Split {
  double mantissa;
  int exponent;
};
/// REQUIRES: finite, above 0.
Split split(double x);

/// log2(m · 2^e). After kTerms terms the series goes on in plain doubles. With 2 terms the relative error is
/// below 2^-69, with 5 below 2^-88.
template <int kTerms>
Pair log2_of(Split x);

/// value · 2^exponent
struct ScaledPair {
  Pair value;
  int exponent;
};

/// 2^x for |x| < 1100. With 2 terms in pairs the relative error is below 2^-75, with 4 below 2^-85.
template <int kTerms>
ScaledPair power_of_two(Pair x);

/// (high + low) · 2^exponent, rounded once, also where it is subnormal. REQUIRES: 0.1 < high < 10.
double scaled(Pair value, int exponent);

/// Whether every number within `error` of the pair rounds to its high half.
inline bool rounds_surely(Pair value, double error) {
  return value.high + (value.low + error) == value.high && value.high + (value.low - error) == value.high;
}

}  // namespace pileus::detail
