// Arcs: the inverse functions of sine, cosine and tangent. A quotient in a pair of doubles is taken to the
// nearest multiple of 1 / 64, whose arc is in a table, and a series follows for the rest.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "functions/binary_exponents.h"
#include "functions/functions.h"

namespace pileus {
namespace {

using detail::Pair;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr Pair kPi{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
constexpr Pair kHalfPi{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
constexpr double kTiny = 0x1p-27;  // below it arcs round to their argument
constexpr int kSteps = 64;

/// Arc tangent for |x| <= 2^-6, with relative errors below 2^-98.
Pair series(Pair x) {
  const Pair minus_square = -(x * x);
  Pair sum;
  for (int k = 19; k >= 1; k -= 2) sum = sum * minus_square + quotient(Pair{1, 0}, k);
  return x * sum;
}

/// The same for |x| <= 2^-7, with relative errors below 2^-66.
Pair quickly(Pair x) {
  const double square = x.high * x.high;
  const double tail =
      square *
      (-1.0 / 3 + square * (1.0 / 5 + square * (-1.0 / 7 + square * (1.0 / 9 + square * (-1.0 / 11)))));
  return detail::normalised(x.high, x.low + x.high * tail);
}

using Table = std::array<Pair, kSteps + 1>;

/// Arc tangents of i / 64, each made of the one before.
Table make_table() {
  Table table;
  for (int i = 1; i <= kSteps; ++i) {
    const double product = kSteps * kSteps + i * (i - 1);
    const Pair step = quotient(Pair{kSteps, 0}, Pair{product, 0});
    table[static_cast<std::size_t>(i)] = table[static_cast<std::size_t>(i) - 1] + series(step);
  }
  return table;
}

/// How an arc of a quotient from 0 to 1 becomes the angle.
struct Turn {
  bool is_swapped = false;   ///< the quotient is the cotangent
  bool is_opposite = false;  ///< the angle is that to π
};

/// The magnitude of the angle whose tangent, or the like, is `quotient`. REQUIRES: 0 <= quotient <= 1.
double angle_of(Pair quotient_of, Turn turn) {
  static const Table table = make_table();
  const double step = (quotient_of.high * kSteps + 0x1.8p52) - 0x1.8p52;
  const Pair near{step / kSteps, 0};
  const Pair rest = step == 0 ? quotient_of : quotient(quotient_of - near, Pair{1, 0} + quotient_of * near);
  const auto angle = [&](Pair of_rest) {
    Pair whole = table[static_cast<std::size_t>(step)] + of_rest;
    if (turn.is_swapped) whole = kHalfPi - whole;
    return turn.is_opposite ? kPi - whole : whole;
  };
  const Pair quick = angle(quickly(rest));
  if (detail::rounds_surely(quick, 0x1p-62 * quick.high)) return quick.high;
  return angle(series(rest)).high;
}

/// a / b for 0 <= a <= b, wherever they lie; 0 where it is below 2^-200.
Pair safe_quotient(double a, double b) {
  const int exponent = std::ilogb(b);
  const double scaled_b = std::ldexp(b, -exponent);
  const double scaled_a = std::ldexp(std::ldexp(a, -exponent / 2), exponent / 2 - exponent);
  return scaled_a < 0x1p-200 ? Pair{} : quotient(Pair{scaled_a, 0}, Pair{scaled_b, 0});
}

/// The angle of a point, both of whose coordinates are finite, and not both 0.
double angle_of_point(double y, double x) {
  const double up = std::fabs(y), across = std::fabs(x);
  const Turn turn{up > across, x < 0};
  const double small = std::min(up, across), large = std::max(up, across);
  // The arc of a quotient below it is the quotient.
  const bool is_tiny = !turn.is_swapped && !turn.is_opposite && small < large * 0x1p-60;
  const double angle = is_tiny ? small / large : angle_of(safe_quotient(small, large), turn);
  return std::copysign(angle, y);
}

/// The square root of 1 - x², for |x| < 1.
Pair other_leg(double x) {
  const WithError sum = two_sum(1, std::fabs(x)), difference = two_sum(1, -std::fabs(x));
  return square_root(Pair{sum.high, sum.error} * Pair{difference.high, difference.error});
}

/// The angle with this sine, or cosine. REQUIRES: |x| < 1.
double angle_in_circle(double x, bool is_sine) {
  const double magnitude = std::fabs(x);
  const Pair other = other_leg(magnitude), given{magnitude, 0};
  const bool is_steep = magnitude > other.high;
  const Pair ratio = is_steep ? quotient(other, given) : quotient(given, other);
  return angle_of(ratio, {is_steep == is_sine, !is_sine && x < 0});
}

}  // namespace

double arc_tangent(double x) {
  if (x != x) return kNan;
  if (std::fabs(x) < kTiny) return x;
  return std::isinf(x) ? std::copysign(kHalfPi.high, x) : angle_of_point(x, 1);
}

double arc_tangent_of_two(double y, double x) {
  if (x != x || y != y) return kNan;
  const bool is_left = std::signbit(x);
  if (y == 0) return std::copysign(is_left ? kPi.high : 0.0, y);
  if (std::isinf(y) && std::isinf(x)) {
    constexpr double kQuarter = 0x1.921fb54442d18p-1, kThreeQuarters = 0x1.2d97c7f3321d2p+1;
    return std::copysign(is_left ? kThreeQuarters : kQuarter, y);
  }
  if (x == 0 || std::isinf(y)) return std::copysign(kHalfPi.high, y);
  if (std::isinf(x)) return std::copysign(is_left ? kPi.high : 0.0, y);
  return angle_of_point(y, x);
}

double arc_sine(double x) {
  if (!(std::fabs(x) <= 1)) return kNan;
  if (std::fabs(x) < kTiny) return x;
  return std::copysign(std::fabs(x) == 1 ? kHalfPi.high : angle_in_circle(x, true), x);
}

double arc_cosine(double x) {
  if (!(std::fabs(x) <= 1)) return kNan;
  if (std::fabs(x) == 1) return x > 0 ? 0 : kPi.high;
  return angle_in_circle(x, false);
}

}  // namespace pileus
