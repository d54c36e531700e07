#include "math/power.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "math/bytes.h"
#include "math/double_double.h"

namespace pileus {
namespace {

/// high + low, |low| at most half a unit of high. Relative errors of the operations are below 2^-100.
struct Pair {
  double high = 0;
  double low = 0;
};

Pair normalised(double high, double low) {
  const double sum = high + low;
  return {sum, low - (sum - high)};
}

/// The product without loss and without a call for processors that have no fma. REQUIRES: far from the ends
/// of the range. Source: Dekker 1971, A floating-point technique for extending the available precision.
WithError exact_product(double a, double b) {
  constexpr double kSplit = 0x1p27 + 1;
  const double a_shifted = kSplit * a, b_shifted = kSplit * b;
  const double a_high = a_shifted - (a_shifted - a), b_high = b_shifted - (b_shifted - b);
  const double a_low = a - a_high, b_low = b - b_high;
  const double product = a * b;
  return {product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

Pair operator+(Pair a, Pair b) {
  const WithError high = two_sum(a.high, b.high);
  const WithError low = two_sum(a.low, b.low);
  const Pair sum = normalised(high.high, high.error + low.high);
  return normalised(sum.high, sum.low + low.error);
}

Pair operator*(Pair a, Pair b) {
  const WithError product = exact_product(a.high, b.high);
  return normalised(product.high, product.error + (a.high * b.low + a.low * b.high));
}

/// a / b for small integers and the like.
Pair quotient(Pair a, double b) {
  const double first = a.high / b;
  const WithError product = exact_product(first, b);
  const double rest = ((a.high - product.high) - product.error) + a.low;
  return normalised(first, rest / b);
}

constexpr int kSubnormalExponent = -1010;  // below it a result may be subnormal
constexpr Pair kLn2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
constexpr Pair kLog2E{0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};

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
    const double rounder = 0x1.8p41;  // the last place is then 2^-11
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

/// mantissa · 2^exponent with the mantissa from 0.7 to 1.42.
struct Split {
  double mantissa;
  int exponent;
};

Split split(double x) {
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);
  if (mantissa < 0.70710678) {
    mantissa *= 2;
    --exponent;
  }
  return {mantissa, exponent};
}

/// 1, -1/2, 1/3, -1/4, 1/5: ln(1 + r) / r by powers of r.
constexpr Pair kLogTerms[] = {{1, 0},
                              {-0.5, 0},
                              {0x1.5555555555555p-2, 0x1.5555555555555p-56},
                              {-0.25, 0},
                              {0x1.999999999999ap-3, -0x1.999999999999ap-57}};
/// 1, 1, 1/2, 1/6, 1/24: e^g by powers of g.
constexpr Pair kExponentialTerms[] = {{1, 0},
                                      {1, 0},
                                      {0.5, 0},
                                      {0x1.5555555555555p-3, 0x1.5555555555555p-57},
                                      {0x1.5555555555555p-5, 0x1.5555555555555p-59}};

constexpr double kInverseFactorials[] = {
    1,         1,          1.0 / 2,     1.0 / 6,      1.0 / 24,     1.0 / 120,
    1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800};

/// log2(m · 2^e). The series goes on in plain doubles after so many terms: after 2 the relative error is
/// below 2^-69, after 5 below 2^-88.
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

/// (high + low) · 2^exponent, rounded once, subnormals too. REQUIRES: 0.1 < high < 10.
double scaled(Pair value, int exponent) {
  if (exponent > 1030) return std::numeric_limits<double>::infinity();
  if (exponent < -1080) return 0;
  if (exponent > kSubnormalExponent) return std::ldexp(value.high, exponent);  // rounds only to infinity
  // Rounded by hand to a multiple of the last place of the subnormals, then scaled without loss.
  const double unit = std::ldexp(1.0, -1074 - exponent);
  if (unit <= std::ldexp(value.high, -53)) return std::ldexp(value.high, exponent);
  const double rounder = 0x1.8p52 * unit;
  double rounded = (rounder + value.high) - rounder;
  const WithError rest = two_sum(value.high - rounded, value.low);
  if (rest.high > unit / 2 || (rest.high == unit / 2 && rest.error > 0)) rounded += unit;
  if (rest.high < -unit / 2 || (rest.high == -unit / 2 && rest.error < 0)) rounded -= unit;
  return std::ldexp(rounded, exponent);
}

/// value · 2^exponent
struct Power {
  Pair value;
  int exponent;
};

/// 2^x for |x| < 1100. After 2 terms in pairs the relative error is below 2^-75, after 4 below 2^-85.
template <int kTerms>
Power power_of_two(Pair x) {
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

/// 2^(y log2 x) for finite x > 0 and finite y: quickly, and again with care where that might round wrongly.
double general_power(double x, double y) {
  const Split parts = split(x);
  const Pair logarithm = log2_of<2>(parts);
  const double rough = y * logarithm.high;
  if (!(rough < 1100)) return std::numeric_limits<double>::infinity();
  if (!(rough > -1100)) return 0;
  if (std::fabs(rough) < 0x1p-70) return 1;
  const Power quick = power_of_two<2>(Pair{y, 0} * logarithm);
  const double error = 0x1p-68 * (1 + std::fabs(rough)) * quick.value.high;
  const bool is_sure = quick.value.high + (quick.value.low + error) == quick.value.high &&
                       quick.value.high + (quick.value.low - error) == quick.value.high;
  if (is_sure && quick.exponent > kSubnormalExponent) return scaled(quick.value, quick.exponent);
  const Power careful = power_of_two<4>(Pair{y, 0} * log2_of<5>(parts));
  return scaled(careful.value, careful.exponent);
}

/// x^n by multiplications that lose nothing where the result needs at most 106 bits. 2 <= n <= 16.
double small_power(double x, int n, bool is_inverse) {
  const Split parts = split(x);
  Pair product{parts.mantissa, 0};
  for (int i = 1; i < n; ++i) product = product * Pair{parts.mantissa, 0};
  if (is_inverse) {
    // 1 / product: a quotient and its correction.
    const double first = 1 / product.high;
    const Pair rest = Pair{1, 0} + product * Pair{-first, 0};
    product = normalised(first, (rest.high + rest.low) * first);
  }
  // Into the range of scaled().
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

/// x > 0, both finite.
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
  // Where C says what pow gives, it gives that with every library.
  const bool is_ordinary = std::isfinite(x) && std::isfinite(y) && x != 0 && y != 0;
  if (!is_ordinary || (x < 0 && !is_integer(y))) return detail::with_one_nan(std::pow(x, y));
  const double magnitude = positive_power(std::fabs(x), y);
  return x < 0 && is_odd(y) ? -magnitude : magnitude;
}

}  // namespace pileus
