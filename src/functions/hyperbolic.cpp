// Hyperbolic functions, of the exponential in pairs of doubles; near 0, where its parts cancel, of series.

#include <cmath>
#include <limits>

#include "functions/binary_exponents.h"
#include "functions/functions.h"

namespace pileus {
namespace {

using detail::Pair;
using detail::ScaledPair;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kTiny = 0x1p-27;  // below it sinh x and tanh x round to x
constexpr double kSmall = 0.5;     // below it series are used

/// Σ x^(2k + first) / (2k + first)! for |x| <= 0.5, with relative errors below 2^-98.
Pair series(double x, int first) {
  const Pair square = Pair{x, 0} * Pair{x, 0};
  Pair sum{1, 0};
  for (int k = 22 + first; k > first; k -= 2) sum = quotient(square * sum, k * (k - 1)) + Pair{1, 0};
  return first == 1 ? sum * Pair{x, 0} : sum;
}

/// e^x and e^-x in units of 2^exponent. REQUIRES: 0 <= x < 750.
struct Both {
  Pair rising, falling;
  int exponent;
};

template <int kTerms>
Both exponentials_of(double x) {
  const ScaledPair rising = detail::power_of_two<kTerms>(Pair{x, 0} * detail::kLog2E);
  Pair falling;
  if (rising.exponent <= 60) {
    const double unit = std::ldexp(1.0, -2 * rising.exponent);
    falling = quotient(Pair{1, 0}, rising.value);
    falling = {falling.high * unit, falling.low * unit};
  }
  return {rising.value, falling, rising.exponent};
}

constexpr double kQuickError = 0x1p-66, kMostArgument = 711;

/// The sum or difference of both exponentials, halved. REQUIRES: 0 <= x; of a difference, x >= 0.5.
double half_of_both(double x, bool is_sum) {
  if (x > kMostArgument) return std::numeric_limits<double>::infinity();
  const auto halved = [&](const Both& both) {
    return is_sum ? both.rising + both.falling : both.rising - both.falling;
  };
  const Both quick = exponentials_of<2>(x);
  const Pair value = halved(quick);
  if (detail::rounds_surely(value, kQuickError * value.high))
    return detail::scaled(value, quick.exponent - 1);
  const Both careful = exponentials_of<4>(x);
  return detail::scaled(halved(careful), careful.exponent - 1);
}

template <int kTerms>
Pair ratio_of_both(double x) {
  const Both both = exponentials_of<kTerms>(x);
  return quotient(both.rising - both.falling, both.rising + both.falling);
}

}  // namespace

double hyperbolic_sine(double x) {
  if (x != x) return kNan;
  const double magnitude = std::fabs(x);
  if (magnitude < kTiny) return x;
  return std::copysign(magnitude < kSmall ? series(magnitude, 1).high : half_of_both(magnitude, false), x);
}

double hyperbolic_cosine(double x) {
  if (x != x) return kNan;
  return std::fabs(x) < kTiny ? 1 : half_of_both(std::fabs(x), true);
}

double hyperbolic_tangent(double x) {
  constexpr double kSteep = 22;  // from there on it rounds to 1
  if (x != x) return kNan;
  const double magnitude = std::fabs(x);
  if (magnitude < kTiny) return x;
  if (magnitude > kSteep) return std::copysign(1.0, x);
  if (magnitude < kSmall) return std::copysign(quotient(series(magnitude, 1), series(magnitude, 0)).high, x);
  const Pair quick = ratio_of_both<2>(magnitude);
  const bool is_sure = detail::rounds_surely(quick, kQuickError * quick.high);
  return std::copysign(is_sure ? quick.high : ratio_of_both<4>(magnitude).high, x);
}

}  // namespace pileus
