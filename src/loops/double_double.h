#pragma once

// Sums of doubles with about 106 bits, for averages of whole arrays where an exact sum per point is too much.
// Used by the averaging windows, in the order of the steps, so that the result is the same on every layout.
// It must never be compiled with fast-math; contraction does no harm but is off.

#include <cmath>

namespace pileus {

/// `high` + `error` is the exact result of an operation; REQUIRES finite operands and no overflow.
struct WithError {
  double high;
  double error;
};

/// a + b without loss.
/// Source: Knuth, The Art of Computer Programming, volume 2, 4.2.2, theorem B.
inline WithError two_sum(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a;
  const double a_part = sum - b_part;
  return {sum, (a - a_part) + (b - b_part)};
}

/// a · b without loss, where |a · b| >= 2^-969 or is 0.
inline WithError two_product(double a, double b) {
  const double product = a * b;
  return {product, std::fma(a, b, -product)};
}

/// A running sum in two doubles; its error is at most a few times 2^-104 of Σ |addends|.
/// Order: the result depends on the order of the additions.
/// NaN and Inf: as IEEE; once the sum is not finite it is like one double.
struct DoubleDouble {
  double high = 0;
  double low = 0;

  void add(double value) { add_with_error(value, 0); }
  void add(const DoubleDouble& other) { add_with_error(other.high, other.low); }

  /// Adds weight · value without rounding the product.
  void add_product(double weight, double value) {
    const WithError product = two_product(weight, value);
    add_with_error(product.high, product.error);
  }

  /// The sum divided by `divisor`, as one double; at most one unit in the last place off.
  double divide(double divisor) const {
    const double quotient = high / divisor;
    const double rest = std::fma(-quotient, divisor, high) + low;
    const double corrected = quotient + rest / divisor;
    return std::isfinite(corrected) ? corrected : quotient;
  }

  /// The same of a divisor that is a sum itself.
  double divide(const DoubleDouble& divisor) const {
    const double quotient = high / divisor.high;
    const double rest = std::fma(-quotient, divisor.high, high) + (low - quotient * divisor.low);
    const double corrected = quotient + rest / divisor.high;
    return std::isfinite(corrected) ? corrected : quotient;
  }

  double value() const { return high; }

 private:
  void add_with_error(double value, double error) {
    const WithError sum = two_sum(high, value);
    const WithError total = two_sum(sum.high, sum.error + (low + error));
    const bool is_finite = std::isfinite(total.high);
    high = is_finite ? total.high : sum.high;
    low = is_finite ? total.error : 0;
  }
};

/// Arithmetic with about 100 bits. Products and quotients beyond the range of doubles are NaN.
inline DoubleDouble operator+(DoubleDouble a, const DoubleDouble& b) {
  a.add(b);
  return a;
}
inline DoubleDouble operator-(const DoubleDouble& a, const DoubleDouble& b) {
  return a + DoubleDouble{-b.high, -b.low};
}
inline DoubleDouble operator*(const DoubleDouble& a, const DoubleDouble& b) {
  const WithError product = two_product(a.high, b.high);
  const WithError sum = two_sum(product.high, product.error + (a.high * b.low + a.low * b.high));
  return {sum.high, sum.error};
}
inline DoubleDouble operator*(double factor, const DoubleDouble& a) { return DoubleDouble{factor, 0} * a; }
inline DoubleDouble operator/(const DoubleDouble& a, const DoubleDouble& b) {
  const double first = a.high / b.high;
  const DoubleDouble rest = a - first * b;
  const double second = rest.high / b.high;
  const WithError sum = two_sum(first, second + (rest - second * b).high / b.high);
  return {sum.high, sum.error};
}

}  // namespace pileus
