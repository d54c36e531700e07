#pragma once

// The loops of ColumnLoops, compiled once for each instruction set; included by those files alone.
// The compiler makes vectors of them. It must never contract or reorder their operations.

#include <cmath>
#include <cstdint>
#include <limits>

#include "loops/column_loops.h"
#include "loops/pair.h"

namespace pileus::detail {
namespace {

// Answers about all elements are gathered from their bits, without comparisons: not every instruction set has
// vectors of these.
using Bits = std::uint64_t;
constexpr Bits kSign = Bits{1} << 63;

inline Bits bits_of(double value) { return __builtin_bit_cast(Bits, value); }
inline Bits bits_of_size(double value) { return bits_of(value) & ~kSign; }
/// 2^exponent.
constexpr Bits bits_of_power(int exponent) { return static_cast<Bits>(exponent + 1023) << 52; }

/// Not zero.
inline Bits any_if_not_zero(double value) { return bits_of_size(value); }
/// kSign is set unless it is below 2^exponent; NaN is not.
inline Bits sign_unless_below(double value, int exponent) {
  return bits_of_size(value) + (kSign - bits_of_power(exponent));
}
/// kSign is set if it is up to 2^exponent, but not zero.
inline Bits sign_if_small(double value, int exponent) {
  const Bits before = bits_of_size(value) - 1;
  return (before - bits_of_power(exponent)) & ~before;
}

/// As two_sum.
inline WithError sum_of(double a, double b) {
  const double sum = a + b, of_b = sum - a;
  return {sum, (a - (sum - of_b)) + (b - of_b)};
}

/// As exact_product.
inline WithError product_of(double a, double b) {
#ifdef __FMA__
  const double product = a * b;
  return {product, __builtin_fma(a, b, -product)};
#else
  return exact_product(a, b);
#endif
}

template <std::size_t kParts>
ColumnsAdded add_to(double weight, const double* values, double* const* parts, double* __restrict rest,
                    std::size_t count) {
  double* sums[kParts];
  for (std::size_t p = 0; p < kParts; ++p) sums[p] = parts[p];
  Bits rests = 0, sizes = 0;
#ifndef __clang__
#pragma GCC ivdep
#endif
  for (std::size_t i = 0; i < count; ++i) {
    double addend = weight * values[i];
    for (std::size_t p = 0; p < kParts; ++p) {
      const WithError sum = sum_of(sums[p][i], addend);
      sums[p][i] = sum.high;
      sizes |= sign_unless_below(sum.high, kTooLargeExponent);
      addend = sum.error;
    }
    rest[i] = addend;
    rests |= any_if_not_zero(addend);
  }
  return {rests != 0, (sizes & kSign) != 0};
}

ColumnsAdded add_all(double weight, const double* values, double* const* parts, std::size_t part_count,
                     double* rest, std::size_t count) {
  switch (part_count) {
    case 1: return add_to<1>(weight, values, parts, rest, count);
    case 2: return add_to<2>(weight, values, parts, rest, count);
    case 3: return add_to<3>(weight, values, parts, rest, count);
    default: return add_to<4>(weight, values, parts, rest, count);
  }
}

void errors_of_all(double weight, const double* values, double* __restrict errors, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) errors[i] = product_of(weight, values[i]).error;
}

/// Within these products and their errors are doubles.
inline bool is_ordinary_size(double size) { return (size > 0x1p-400) & (size < 0x1p400); }

struct FourParts {
  double of[4];
};

/// The first part becomes the sum rounded to nearest, or close to it, the second its error.
template <std::size_t kParts>
inline FourParts renormalised(const double* const* sums, std::size_t i) {
  FourParts parts{};
  for (std::size_t p = 0; p < kParts; ++p) parts.of[p] = sums[p][i];
  for (int pass = 0; pass < 2; ++pass) {
    for (std::size_t p = kParts; p-- > 1;) {
      const WithError sum = sum_of(parts.of[p - 1], parts.of[p]);
      parts.of[p - 1] = sum.high;
      parts.of[p] = sum.error;
    }
  }
  return parts;
}

template <std::size_t kParts>
void divide_sums(const double* const* parts, ColumnDivisor divisor, double* __restrict out,
                 std::size_t count) {
  const double* sums[kParts];
  for (std::size_t p = 0; p < kParts; ++p) sums[p] = parts[p];
  const double of_later_parts = 2 / std::fabs(divisor.high);
  for (std::size_t i = 0; i < count; ++i) {
    const FourParts sum = renormalised<kParts>(sums, i);
    const double a = sum.of[0], b = sum.of[1], c = sum.of[2], d = sum.of[3];
    const double first = a / divisor.high;
    const WithError product = product_of(first, divisor.high);
    const double rest = ((a - product.high) - product.error) + (b - first * divisor.low);
    const WithError both = sum_of(first, rest / divisor.high);
    const double value = both.high, below = both.error;
    // A few units of 2^-105 of the value lack, and what the later parts may add.
    const double unknown = std::fabs(value) * 0x1p-98 + (std::fabs(c) + std::fabs(d)) * of_later_parts;
    const bool is_dividend = is_ordinary_size(std::fabs(a)), is_quotient = is_ordinary_size(std::fabs(first));
    const bool is_known = (value + (below + unknown) == value) & (value + (below - unknown) == value) &
                          is_dividend & is_quotient;
    const bool is_zero = (a == 0) & (b == 0) & (c == 0) & (d == 0);
    const double known = is_known ? value : std::numeric_limits<double>::quiet_NaN();
    out[i] = is_zero ? 0.0 : known;
  }
}

void divide_all(const double* const* parts, std::size_t part_count, ColumnDivisor divisor, double* out,
                std::size_t count) {
  switch (part_count) {
    case 1: return divide_sums<1>(parts, divisor, out, count);
    case 2: return divide_sums<2>(parts, divisor, out, count);
    case 3: return divide_sums<3>(parts, divisor, out, count);
    default: return divide_sums<4>(parts, divisor, out, count);
  }
}

bool are_all_small(const double* values, std::size_t count) {
  Bits sizes = 0;
  for (std::size_t i = 0; i < count; ++i) sizes |= sign_unless_below(values[i], kTooLargeExponent);
  return (sizes & kSign) == 0;
}

/// As are_ordinary_values.
bool are_all_ordinary(const double* values, std::size_t count) {
  Bits sizes = 0;
  for (std::size_t i = 0; i < count; ++i)
    sizes |= sign_unless_below(values[i], 900) | sign_if_small(values[i], -800);
  return (sizes & kSign) == 0;
}

}  // namespace
}  // namespace pileus::detail

#define PILEUS_DEFINE_COLUMN_LOOPS(variable, name)                                      \
  namespace pileus::detail {                                                            \
  extern constinit const ColumnLoops variable;                                          \
  constinit const ColumnLoops variable = {name,       add_all,       errors_of_all,     \
                                          divide_all, are_all_small, are_all_ordinary}; \
  }
