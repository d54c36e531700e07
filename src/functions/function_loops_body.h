// The loops of FunctionLoops for the instruction set that the including file is compiled for; hence there is
// no "#pragma once". That file defines PILEUS_FUNCTION_WIDTH, the number of doubles in a register. Nothing
// here may call an inline function of another header: the linker might take its copy, compiled for this
// instruction set, for the whole program. It must never be compiled with fast-math or with contraction.

#include "functions/function_loops.h"

namespace pileus::detail {
namespace {

constexpr std::size_t kWidth = PILEUS_FUNCTION_WIDTH;

template <class T>
using RowOf __attribute__((vector_size(kWidth * sizeof(T)))) = T;
using Row = RowOf<double>;
using Bits = RowOf<std::uint64_t>;
using Mask = RowOf<std::int64_t>;

inline Row load(const double* values) {
  Row row;
  __builtin_memcpy(&row, values, sizeof row);
  return row;
}
inline void store(double* to, Row row) { __builtin_memcpy(to, &row, sizeof row); }

inline Row looked_up(const double* table, Bits places) {
  Row row;
  for (std::size_t lane = 0; lane < kWidth; ++lane) row[lane] = table[places[lane]];
  return row;
}

inline Row magnitude_of(Row x) { return (Row)((Bits)x & (~std::uint64_t{0} >> 1)); }
/// Keeps the upper 26 bits.
inline Row upper_of(Row x) { return (Row)((Bits)x & (~std::uint64_t{0} << 27)); }

/// high + low, which need not be as near to each other as the halves of a rounded sum.
struct Sum {
  Row high, low;
};

/// a + b without loss. fast_sum needs |a| >= |b| or a = 0.
inline Sum exact_sum(Row a, Row b) {
  const Row sum = a + b, b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}
inline Sum fast_sum(Row a, Row b) {
  const Row sum = a + b;
  return {sum, b - (sum - a)};
}
/// a · b with an error of 2^-106 of it, far from the ends of the range.
inline Sum exact_product(Row a, Row b) {
  const Row a_high = upper_of(a), b_high = upper_of(b), a_low = a - a_high, b_low = b - b_high;
  const Row product = a * b;
  return {product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

/// Whether every number within `error` of the sum rounds to its high half. REQUIRES: |low| < |high| or 0.
inline Mask rounds_surely(Sum sum, Row error) {
  return (sum.high + (sum.low + error) == sum.high) & (sum.high + (sum.low - error) == sum.high);
}

constexpr double kRounder = 0x1.8p52;
constexpr std::uint64_t kRounderBits = 0x4338000000000000;
static_assert(__builtin_bit_cast(double, kRounderBits) == kRounder);

/// A result and whether it is the nearest double.
struct Quick {
  Row value;
  Mask is_sure;
};

/// e^(x + rest), where |x + rest| < 700 and |rest| < 2^-52 |x|; `error` is the error of x.
/// x = k ln 2 / 128 + r: a root of two from the table, times e^r by its series; |r| < 2^-8.5. The parts that
/// matter are exact products of 26 bits. What is rounded is below 2^-17 of the result, so that all errors
/// together are below 2^-67 of it.
inline Quick exponential_of(const FunctionTables& tables, Row x, Row rest, Row error) {
  constexpr double kStepsPerUnit = 0x1.71547652b82fep+7;
  constexpr double kStepHigh = 0x1.62e42fefp-8;       // ln 2 / 128: 33 bits, ...
  constexpr double kStepLow = 0x1.473de6af278edp-41;  // ... and the next 53
  const Row shifted = x * kStepsPerUnit + kRounder;
  const Row steps = shifted - kRounder;
  const Bits whole = (Bits)shifted - kRounderBits;
  const Bits place = whole & 127;
  const Row r_high = x - steps * kStepHigh;
  const Row r_low = rest - steps * kStepLow;
  const Row r = r_high + r_low;
  const Row r_upper = upper_of(r_high);
  const Row series = r * r * (0.5 + r * (1.0 / 6 + r * (1.0 / 24 + r * (1.0 / 120 + r * (1.0 / 720)))));
  const Row small = ((r_high - r_upper) + r_low) + series;
  const Row root = looked_up(tables.root_high, place), root_rest = looked_up(tables.root_low, place);
  const Sum sum = fast_sum(root, root * r_upper);
  const Sum result = fast_sum(sum.high, sum.low + (root * small + root_rest * (1 + (r_upper + small))));
  const Mask is_sure = rounds_surely(result, result.high * (0x1p-66 + error));
  return {(Row)((Bits)result.high + ((whole - place) << 45)), is_sure};
}

/// ln x for positive normal x. With x = 2^e m, m from 0.7 to 1.42, c of the table nearly 1 / m and m c = 1 +
/// r, |r| < 2^-7, ln x = e ln 2 + ln(1 / c) + r - r²/2 + ...; all errors together are below 2^-64 of the
/// result.
inline Sum logarithm_of(const FunctionTables& tables, Row x) {
  constexpr std::uint64_t kOne = 0x3FF0000000000000, kHalfRoot = 0x3FE6A09E667F3BCD;  // 1 and sqrt(1/2)
  constexpr double kLn2High = 0x1.62e42fefa38p-1;              // a multiple of 2^-42, ...
  constexpr double kLn2Low = 0x1.ef35793c7673p-45;             // ... and the rest
  const Bits exponent = ((Bits)x + (kOne - kHalfRoot)) >> 52;  // e + 1023
  const Row m = (Row)((Bits)x - (exponent << 52) + kOne);
  const Row e = (Row)(exponent + (kRounderBits - 1023)) - kRounder;
  const Bits place = (Bits)(m * 128 + kRounder) - (kRounderBits + FunctionTables::kFirst);
  const Row c = looked_up(tables.reciprocal, place);
  const Row m_upper = upper_of(m);
  const Sum r = exact_sum(m_upper * c - 1, (m - m_upper) * c);
  const Row upper = upper_of(r.high);
  const Row square_low = -0.5 * ((r.high - upper) * (r.high + upper)) - r.high * r.low;
  const Row t = r.high;
  const Row series =
      t * t * t *
      (1.0 / 3 +
       t * (-0.25 + t * (0.2 + t * (-1.0 / 6 + t * (1.0 / 7 + t * (-0.125 + t * (1.0 / 9 + t * (-0.1))))))));
  const Row whole = e * kLn2High + looked_up(tables.log_high, place);  // exact
  const Sum first = exact_sum(whole, r.high);
  const Sum second = exact_sum(first.high, -0.5 * (upper * upper));
  const Row low = (first.low + second.low) +
                  (r.low + (square_low + (series + (e * kLn2Low + looked_up(tables.log_low, place)))));
  return fast_sum(second.high, low);
}

constexpr double kSmallestNormal = 0x1p-1022, kLargest = 0x1.fffffffffffffp1023;

inline Quick exponential_row(const FunctionTables& tables, Row x) {
  const Mask is_inside = magnitude_of(x) < 700;
  const Row inside = is_inside ? x : Row{};
  const Quick made = exponential_of(tables, inside, Row{}, Row{});
  return {made.value, made.is_sure & is_inside};
}

inline Quick logarithm_row(const FunctionTables& tables, Row x) {
  const Mask is_inside = (x >= kSmallestNormal) & (x <= kLargest);
  const Row inside = is_inside ? x : Row{} + 1;
  const Sum made = logarithm_of(tables, inside);
  return {made.high, rounds_surely(made, magnitude_of(made.high) * 0x1p-63) & is_inside};
}

/// e^(y ln x). The logarithm's error, 2^-63 of it, is multiplied by y ln x in the result.
inline Quick power_row(const FunctionTables& tables, Row x, Row y) {
  const Mask is_ordinary =
      (x >= kSmallestNormal) & (x <= kLargest) & (magnitude_of(y) < 0x1p500) & (magnitude_of(y) > 0x1p-500);
  const Sum logarithm = logarithm_of(tables, is_ordinary ? x : Row{} + 1);
  const Row factor = is_ordinary ? y : Row{} + 1;
  const Sum product = exact_product(factor, logarithm.high);
  const Sum exponent = fast_sum(product.high, product.low + factor * logarithm.low);
  const Mask is_inside = is_ordinary & (magnitude_of(exponent.high) < 700);
  const Row high = is_inside ? exponent.high : Row{}, low = is_inside ? exponent.low : Row{};
  const Quick made = exponential_of(tables, high, low, magnitude_of(high) * 0x1p-62);
  return {made.value, made.is_sure & is_inside};
}

inline void keep(const Quick& made, std::size_t count, double* out, std::uint8_t* unsure) {
  for (std::size_t lane = 0; lane < count; ++lane) unsure[lane] = made.is_sure[lane] != 0 ? 0 : 1;
  if (count == kWidth) return store(out, made.value);
  for (std::size_t lane = 0; lane < count; ++lane) out[lane] = made.value[lane];
}

/// Loads a row from `count` numbers; the other elements are 1.
inline Row load_part(const double* values, std::size_t count) {
  Row row = Row{} + 1;
  for (std::size_t lane = 0; lane < count; ++lane) row[lane] = values[lane];
  return row;
}

template <Quick (*of_row)(const FunctionTables&, Row)>
void run(const FunctionTables& tables, const double* x, std::size_t count, double* out,
         std::uint8_t* unsure) {
  std::size_t i = 0;
  for (; i + kWidth <= count; i += kWidth) keep(of_row(tables, load(x + i)), kWidth, out + i, unsure + i);
  if (i < count) keep(of_row(tables, load_part(x + i, count - i)), count - i, out + i, unsure + i);
}

void run_power(const FunctionTables& tables, const double* x, const double* y, std::size_t count, double* out,
               std::uint8_t* unsure) {
  std::size_t i = 0;
  for (; i + kWidth <= count; i += kWidth)
    keep(power_row(tables, load(x + i), load(y + i)), kWidth, out + i, unsure + i);
  if (i == count) return;
  const Quick rest = power_row(tables, load_part(x + i, count - i), load_part(y + i, count - i));
  keep(rest, count - i, out + i, unsure + i);
}

}  // namespace
}  // namespace pileus::detail

#define PILEUS_DEFINE_FUNCTION_LOOPS(variable, name)                                                    \
  namespace pileus::detail {                                                                            \
  extern constinit const FunctionLoops variable;                                                        \
  constinit const FunctionLoops variable = {name, run<exponential_row>, run<logarithm_row>, run_power}; \
  }
