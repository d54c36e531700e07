#include "functions/power.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include "functions/binary_exponents.h"
#include "loops/one_nan.h"

namespace pileus {
namespace {

using detail::kSubnormalExponent;
using detail::log2_of;
using detail::Pair;
using detail::power_of_two;
using detail::scaled;
using detail::ScaledPair;
using detail::Split;

/// x^y = 2^(y log2 x) for finite x > 0 and finite y: quickly, and once more with care if that might round
/// wrongly.
double general_power(double x, double y) {
  const Split parts = detail::split(x);
  const Pair logarithm = log2_of<2>(parts);
  const double rough = y * logarithm.high;
  if (!(rough < 1100)) return std::numeric_limits<double>::infinity();
  if (!(rough > -1100)) return 0;
  if (std::fabs(rough) < 0x1p-70) return 1;
  const ScaledPair quick = power_of_two<2>(Pair{y, 0} * logarithm);
  const double error = 0x1p-68 * (1 + std::fabs(rough)) * quick.value.high;
  if (detail::rounds_surely(quick.value, error) && quick.exponent > kSubnormalExponent)
    return scaled(quick.value, quick.exponent);
  const ScaledPair careful = power_of_two<4>(Pair{y, 0} * log2_of<5>(parts));
  return scaled(careful.value, careful.exponent);
}

/// x^n by multiplications that lose nothing if the result needs at most 106 bits. REQUIRES: 2 <= n <= 16.
double small_power(double x, int n, bool is_inverse) {
  const Split parts = detail::split(x);
  Pair product{parts.mantissa, 0};
  for (int i = 1; i < n; ++i) product = product * Pair{parts.mantissa, 0};
  if (is_inverse) {
    // The first quotient and its correction give 1 / product.
    const double first = 1 / product.high;
    const Pair rest = Pair{1, 0} + product * Pair{-first, 0};
    product = detail::normalised(first, (rest.high + rest.low) * first);
  }
  // Scales into the range of scaled().
  int exponent = 0;
  const double top = std::frexp(product.high, &exponent);
  const Pair near_one{top, std::ldexp(product.low, -exponent)};
  return scaled(near_one, exponent + (is_inverse ? -n : n) * parts.exponent);
}

bool is_integer(double y) {
  return std::fabs(y) >= 0x1p52 || y == static_cast<double>(static_cast<std::int64_t>(y));
}
bool is_odd(double y) {
  return is_integer(y) && std::fabs(y) < 0x1p53 && (static_cast<std::int64_t>(y) & 1) != 0;
}

/// x^y. REQUIRES: x > 0, both finite.
double positive_power(double x, double y) {
  if (y == 1) return x;
  if (y == 0.5) return std::sqrt(x);
  if (x == 1) return 1;
  const double magnitude = std::fabs(y);
  if (magnitude <= 16 && is_integer(y) && magnitude >= 1) {
    return small_power(x, static_cast<int>(magnitude), y < 0);
  }
  return general_power(x, y);
}

}  // namespace

double power(double x, double y) {
  // Where the C standard prescribes the result, every library's pow gives it.
  const bool is_ordinary = std::isfinite(x) && std::isfinite(y) && x != 0 && y != 0;
  if (!is_ordinary || (x < 0 && !is_integer(y))) return detail::with_one_nan(std::pow(x, y));
  const double magnitude = positive_power(std::fabs(x), y);
  return x < 0 && is_odd(y) ? -magnitude : magnitude;
}

}  // namespace pileus
