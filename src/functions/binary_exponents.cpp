#include "functions/binary_exponents.h"

#include <array>
#include <cmath>
#include <limits>

namespace pileus::detail {
namespace {

constexpr int kReciprocals = 128;  // a number from 0.7 to 1.42 is near i / 128 for one i
constexpr int kFirst = 90, kLast = 182;
constexpr int kRoots = 128;  // powers of two in steps of 1 / 128

struct Tables {
  std::array<double, kLast - kFirst + 1> reciprocal;  ///< about 128 / i, 12 bits
  std::array<Pair, kLast - kFirst + 1> log2;          ///< of 1 / reciprocal
  std::array<Pair, kRoots> power_of_two;              ///< 2^(i / 128)
};

/// log2(1 / c) = -2 atanh((c - 1) / (c + 1)) / ln 2, by its series.
Pair minus_log2(double c) {
  const Pair s = quotient({c - 1, 0}, c + 1);
  const Pair square = s * s;
  Pair sum;
  for (int k = 45; k >= 1; k -= 2) sum = sum * square + quotient({1, 0}, k);
  return sum * s * Pair{-2, 0} * kLog2E;
}

/// e^x for 0 <= x < 0.7, by its series.
Pair exponential(Pair x) {
  Pair sum{1, 0};
  for (int k = 28; k >= 1; --k) sum = quotient(sum * x, k) + Pair{1, 0};
  return sum;
}

Tables make_tables() {
  Tables tables;
  for (int i = kFirst; i <= kLast; ++i) {
    const auto at = static_cast<std::size_t>(i - kFirst);
    const double rounder = 0x1.8p41;  // its last place is 2^-11
    tables.reciprocal[at] = (static_cast<double>(kReciprocals) / i + rounder) - rounder;
    tables.log2[at] = minus_log2(tables.reciprocal[at]);
  }
  for (int i = 0; i < kRoots; ++i) {
    tables.power_of_two[static_cast<std::size_t>(i)] = exponential(quotient(kLn2 * Pair(i, 0), kRoots));
  }
  return tables;
}

const Tables& tables() {
  static const Tables made = make_tables();
  return made;
}

/// 1, -1/2, 1/3, -1/4, 1/5: the coefficients of ln(1 + r) / r by powers of r.
constexpr Pair kLogTerms[] = {{1, 0},
                              {-0.5, 0},
                              {0x1.5555555555555p-2, 0x1.5555555555555p-56},
                              {-0.25, 0},
                              {0x1.999999999999ap-3, -0x1.999999999999ap-57}};
/// 1, 1, 1/2, 1/6, 1/24: the coefficients of e^g by powers of g.
constexpr Pair kExponentialTerms[] = {{1, 0},
                                      {1, 0},
                                      {0.5, 0},
                                      {0x1.5555555555555p-3, 0x1.5555555555555p-57},
                                      {0x1.5555555555555p-5, 0x1.5555555555555p-59}};

constexpr double kInverseFactorials[] = {
    1,         1,          1.0 / 2,     1.0 / 6,      1.0 / 24,     1.0 / 120,
    1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800};

}  // namespace

Split split(double x) {
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);
  if (mantissa < 0.70710678) {
    mantissa *= 2;
    --exponent;
  }
  return {mantissa, exponent};
}

template <int kTerms>
Pair log2_of(Split x) {
  const int i = static_cast<int>(x.mantissa * kReciprocals + 0.5);
  const auto at = static_cast<std::size_t>(i - kFirst);
  // m · c = 1 + r without loss; |r| < 2^-7, and log2 m = log2(1 + r) + log2(1 / c).
  const WithError product = exact_product(x.mantissa, tables().reciprocal[at]);
  const Pair r = normalised(product.high - 1, product.error);
  double tail = 0;
  for (int k = kTerms == 2 ? 9 : 14; k > kTerms; --k) tail = (k % 2 == 0 ? -1.0 : 1.0) / k + r.high * tail;
  Pair sum = kLogTerms[kTerms - 1] + Pair{r.high * tail, 0};
  for (int k = kTerms - 1; k > 0; --k) sum = r * sum + kLogTerms[k - 1];
  return Pair{static_cast<double>(x.exponent), 0} + (tables().log2[at] + r * sum * kLog2E);
}

double scaled(Pair value, int exponent) {
  if (exponent > 1030) return std::numeric_limits<double>::infinity();
  if (exponent < -1080) return 0;
  if (exponent > kSubnormalExponent) return std::ldexp(value.high, exponent);  // rounds only to infinity
  // Rounds to a multiple of the last place of the subnormals, and then scales without loss.
  const double unit = std::ldexp(1.0, -1074 - exponent);
  if (unit <= std::ldexp(value.high, -53)) return std::ldexp(value.high, exponent);
  const double rounder = 0x1.8p52 * unit;
  double rounded = (rounder + value.high) - rounder;
  const WithError rest = two_sum(value.high - rounded, value.low);
  if (rest.high > unit / 2 || (rest.high == unit / 2 && rest.error > 0)) rounded += unit;
  if (rest.high < -unit / 2 || (rest.high == -unit / 2 && rest.error < 0)) rounded -= unit;
  return std::ldexp(rounded, exponent);
}

template <int kTerms>
ScaledPair power_of_two(Pair x) {
  const double steps = (x.high * kRoots + 0x1.8p52) - 0x1.8p52;
  const auto whole = static_cast<int>(steps);
  // 2^(steps / 128) · e^g, |g| < 2^-8
  const Pair g = (x + Pair{-steps / kRoots, 0}) * kLn2;
  double tail = 0;
  for (int k = kTerms == 2 ? 7 : 10; k > kTerms; --k) tail = kInverseFactorials[k] + g.high * tail;
  Pair sum = kExponentialTerms[kTerms] + Pair{g.high * tail, 0};
  for (int k = kTerms - 1; k >= 0; --k) sum = g * sum + kExponentialTerms[k];
  const int root = whole & (kRoots - 1);
  return {tables().power_of_two[static_cast<std::size_t>(root)] * sum, (whole - root) / kRoots};
}

template Pair log2_of<2>(Split);
template Pair log2_of<5>(Split);
template ScaledPair power_of_two<2>(Pair);
template ScaledPair power_of_two<4>(Pair);

}  // namespace pileus::detail
