#pragma once

// Numbers of about 106 bits as unevaluated sums of two doubles, by additions and multiplications only, so
// that they are the same on every processor. Used by the functions of equations in this room.
// It must never be compiled with fast-math or with contraction.

#include "loops/double_double.h"

namespace pileus::detail {

/// high + low, |low| at most half a unit of high. Relative errors of the operations are below 2^-100.
struct Pair {
  double high = 0;
  double low = 0;
};

inline Pair normalised(double high, double low) {
  const double sum = high + low;
  return {sum, low - (sum - high)};
}

/// The product without loss and without a call for processors that have no fma. REQUIRES: far from the ends
/// of the range. Source: Dekker 1971, A floating-point technique for extending the available precision.
inline WithError exact_product(double a, double b) {
  constexpr double kSplit = 0x1p27 + 1;
  const double a_shifted = kSplit * a, b_shifted = kSplit * b;
  const double a_high = a_shifted - (a_shifted - a), b_high = b_shifted - (b_shifted - b);
  const double a_low = a - a_high, b_low = b - b_high;
  const double product = a * b;
  return {product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

inline Pair operator+(Pair a, Pair b) {
  const WithError high = two_sum(a.high, b.high);
  const WithError low = two_sum(a.low, b.low);
  const Pair sum = normalised(high.high, high.error + low.high);
  return normalised(sum.high, sum.low + low.error);
}

inline Pair operator*(Pair a, Pair b) {
  const WithError product = exact_product(a.high, b.high);
  return normalised(product.high, product.error + (a.high * b.low + a.low * b.high));
}

/// a / b for small integers and the like.
inline Pair quotient(Pair a, double b) {
  const double first = a.high / b;
  const WithError product = exact_product(first, b);
  const double rest = ((a.high - product.high) - product.error) + a.low;
  return normalised(first, rest / b);
}

inline Pair operator-(Pair a) { return {-a.high, -a.low}; }
inline Pair operator-(Pair a, Pair b) { return a + -b; }

/// a / b. REQUIRES: far from the ends of the range.
inline Pair quotient(Pair a, Pair b) {
  const double first = a.high / b.high;
  const Pair rest = a - b * Pair{first, 0};
  const double second = rest.high / b.high;
  const Pair last = rest - b * Pair{second, 0};
  return normalised(first, second) + Pair{last.high / b.high, 0};
}

/// REQUIRES: positive, far from the ends of the range.
inline Pair square_root(Pair a) {
  const double first = std::sqrt(a.high);
  const Pair rest = a - Pair{first, 0} * Pair{first, 0};
  return normalised(first, rest.high / (2 * first));
}

}  // namespace pileus::detail
