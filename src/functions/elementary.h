#pragma once

// The functions of equations with the same bits on every processor and with every C library, whose own
// differ. Used by analytics. It must never call a function of the mathematical library that rounds, but the
// square root, which IEEE 754 defines.

#include <cmath>
#include <limits>
#include <span>

namespace pileus {

/// e^x and the natural logarithm, sine and cosine of radians: the nearest double in all but about one of 2^30
/// cases, where it is the next one; sine and cosine of huge arguments too, by the exact argument. NaN,
/// infinities, zeros and signs: as C has it; every NaN is the same.
/// REQUIRES: FloatingPointEnvironment.
double exponential(double x);
double logarithm(double x);
double sine(double x);
double cosine(double x);

/// The same bits of many numbers, several times as fast; powers as those of power.h. `out` is none of the
/// others.
void exponentials(std::span<const double> x, double* out);
void logarithms(std::span<const double> x, double* out);
/// x[i]^y[i]
void powers(std::span<const double> x, const double* y, double* out);

inline double square_root(double x) {
  return x < 0 || x != x ? std::numeric_limits<double>::quiet_NaN() : std::sqrt(x);
}

/// The rest of the floored division a / b, rounded once; it has the sign of b, a zero too, as in Python and
/// NumPy.
/// NaN where b is 0 or a is infinite. An infinite b leaves a of its own sign as it is, others become b.
double modulo(double a, double b);

/// NaN where either is; −0 < +0, as in reductions.
inline double minimum(double a, double b) {
  if (a != a || b != b) return std::numeric_limits<double>::quiet_NaN();
  return a < b || (a == b && std::signbit(a)) ? a : b;
}
inline double maximum(double a, double b) {
  if (a != a || b != b) return std::numeric_limits<double>::quiet_NaN();
  return a > b || (a == b && !std::signbit(a)) ? a : b;
}

}  // namespace pileus
