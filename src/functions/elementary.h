#pragma once

// The functions of equations, with the same bits on every processor and with every C library; the libraries'
// own functions differ. Used by analytics. The only function of the mathematical library that may be called
// here is the square root, which IEEE 754 defines.

#include <cmath>
#include <limits>
#include <span>

namespace pileus {

/// e^x, the natural logarithm, and sine and cosine of radians. The result is the nearest double in all but
/// about one of 2^30 cases, where it is the next one. This holds for sine and cosine of huge arguments too,
/// which are reduced exactly. NaN, infinities, zeros and signs: as in C; every NaN is the same.
/// REQUIRES: FloatingPointEnvironment.
double exponential(double x);
double logarithm(double x);
double sine(double x);
double cosine(double x);

/// The functions of many numbers, with the same bits and several times as fast; powers are those of power.h.
/// `out` may not be one of the inputs.
void exponentials(std::span<const double> x, double* out);
void logarithms(std::span<const double> x, double* out);
/// x[i]^y[i]
void powers(std::span<const double> x, const double* y, double* out);

inline double square_root(double x) {
  return x < 0 || x != x ? std::numeric_limits<double>::quiet_NaN() : std::sqrt(x);
}

/// The remainder of the floored division a / b, rounded once. Like a zero, it has the sign of b, as in Python
/// and NumPy.
/// NaN if b is 0 or a is infinite. If b is infinite, an a of the same sign stays as it is, and any other
/// becomes b.
double modulo(double a, double b);

/// NaN if either is NaN; −0 < +0, as in reductions.
inline double minimum(double a, double b) {
  if (a != a || b != b) return std::numeric_limits<double>::quiet_NaN();
  return a < b || (a == b && std::signbit(a)) ? a : b;
}
inline double maximum(double a, double b) {
  if (a != a || b != b) return std::numeric_limits<double>::quiet_NaN();
  return a > b || (a == b && !std::signbit(a)) ? a : b;
}

}  // namespace pileus
