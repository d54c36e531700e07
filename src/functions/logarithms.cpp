// Logarithms to the bases 2 and 10.

#include <cmath>
#include <limits>

#include "functions/binary_exponents.h"
#include "functions/functions.h"

namespace pileus {
namespace {

using detail::Pair;

constexpr Pair kLog10Of2{0x1.34413509f79ffp-2, -0x1.9dc1da994fd21p-59};

/// log2 x times `factor`.
double scaled_log2(double x, Pair factor) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (x != x || x < 0) return std::numeric_limits<double>::quiet_NaN();
  if (x == 0) return -kInfinity;
  if (x == kInfinity || x == 1) return x == 1 ? 0 : x;
  const detail::Split parts = detail::split(x);
  const Pair quick = detail::log2_of<2>(parts) * factor;
  if (detail::rounds_surely(quick, 0x1p-66 * std::fabs(quick.high))) return quick.high;
  return (detail::log2_of<5>(parts) * factor).high;
}

}  // namespace

double binary_logarithm(double x) { return scaled_log2(x, {1, 0}); }
double decimal_logarithm(double x) { return scaled_log2(x, kLog10Of2); }

}  // namespace pileus
