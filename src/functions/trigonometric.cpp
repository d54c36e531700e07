// Sine, cosine and tangent. The argument is reduced exactly to quadrants, with as many bits of 2 / π as that
// takes.
// Series in pairs of doubles follow, around the nearest multiple of 1 / 64.
// Source of the reduction: Payne and Hanek 1983, Radian reduction for trigonometric functions.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "functions/binary_exponents.h"
#include "functions/elementary.h"

namespace pileus {
namespace {

using detail::Pair;

__extension__ using Wide = unsigned __int128;

/// The bits of 2 / π; the first bit is the one behind the binary point.
constexpr std::array<std::uint64_t, 20> kTwoOverPi = {
    0xA2F9836E4E441529, 0xFC2757D1F534DDC0, 0xDB6295993C439041, 0xFE5163ABDEBBC561, 0xB7246E3A424DD2E0,
    0x06492EEA09D1921C, 0xFE1DEB1CB129A73E, 0xE88235F52EBB4484, 0xE99C7026B45F7E41, 0x3991D639835339F4,
    0x9C845F8BBDF9283B, 0x1FF897FFDE05980F, 0xEF2F118B5A0A6D1F, 0x6D367ECF27CB09B7, 0x4F463F669E5FEA2D,
    0x7527BAC7EBE5F17B, 0x3D0739F78A5292EA, 0x6BFB5FB11F8D5D08, 0x56033046FC7B6BAB, 0xF0CFBC209AF4361D};
constexpr Pair kHalfPi{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

/// angle + quadrant · π / 2, where |angle| is at most slightly above π / 4.
struct Reduced {
  Pair angle;
  unsigned quadrant;
};

constexpr std::size_t kWords = 6;  // the highest first
using Bits = std::array<std::uint64_t, kWords>;

Bits shifted_up(const Bits& bits, int count) {
  const auto words = static_cast<std::size_t>(count / 64);
  const int rest = count % 64;
  Bits result{};
  for (std::size_t i = 0; i + words < kWords; ++i) {
    result[i] = bits[i + words] << rest;
    if (rest > 0 && i + words + 1 < kWords) result[i] |= bits[i + words + 1] >> (64 - rest);
  }
  return result;
}

/// mantissa · 2^exponent · 2 / π in units of 4, as bits behind the binary point. Bits of 2 / π that only add
/// multiples of 4 are left out. 5 words of the others are enough for 200 bits behind the point.
Bits turns(std::uint64_t mantissa, int exponent) {
  const int first = exponent > 2 ? (exponent - 2) / 64 : 0;
  Bits product{};
  std::uint64_t carry = 0;
  for (std::size_t i = kWords - 1; i-- > 0;) {
    const Wide part = Wide{mantissa} * kTwoOverPi[static_cast<std::size_t>(first) + i] + carry;
    product[i + 1] = static_cast<std::uint64_t>(part);
    carry = static_cast<std::uint64_t>(part >> 64);
  }
  product[0] = carry;
  const int behind_the_point = 64 * (first + 5) - exponent;
  return shifted_up(product, 64 * static_cast<int>(kWords) - 2 - behind_the_point);
}

/// Reduces x to a quadrant and an angle. REQUIRES: finite x >= π / 4.
Reduced reduced(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  constexpr std::uint64_t kImplicit = std::uint64_t{1} << 52;
  const Bits whole = turns((bits & (kImplicit - 1)) | kImplicit, static_cast<int>(bits >> 52) - 1075);
  auto quadrant = static_cast<unsigned>(whole[0] >> 62);
  Bits fraction = shifted_up(whole, 2);
  const bool is_above_half = fraction[0] >> 63 != 0;
  if (is_above_half) {  // takes 1 - fraction and the next quadrant; the last bit does not matter
    ++quadrant;
    for (std::uint64_t& word : fraction) word = ~word;
  }
  int zeros = 0;
  while (fraction[static_cast<std::size_t>(zeros / 64)] >> (63 - zeros % 64) == 0) ++zeros;
  const Bits leading = shifted_up(fraction, zeros);
  const double high = static_cast<double>(leading[0] >> 11) * 0x1p-53;
  const double low = static_cast<double>(leading[0] << 53 | leading[1] >> 11) * 0x1p-117;
  const Pair angle = detail::normalised(high, low) * kHalfPi;
  const double unit = std::ldexp(is_above_half ? -1.0 : 1.0, -zeros);
  return {{angle.high * unit, angle.low * unit}, quadrant & 3};
}

constexpr int kSteps = 64;

/// Σ (-1)^k d^(2k + first) / (2k + first)!, with a relative error below 2^-100 for |d| < 1.
Pair series(Pair d, int first, int last) {
  const Pair minus_square = d * d * Pair{-1, 0};
  Pair sum{1, 0};
  for (int k = last; k > first; k -= 2) sum = quotient(minus_square * sum, k * (k - 1)) + Pair{1, 0};
  return first == 1 ? d * sum : sum;
}

struct SineCosine {
  Pair sine, cosine;
};

using Table = std::array<SineCosine, 52>;

/// Sine and cosine of i / 64.
Table make_table() {
  Table table;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const Pair angle{static_cast<double>(i) / kSteps, 0};
    table[i] = {series(angle, 1, 27), series(angle, 0, 26)};
  }
  return table;
}

/// Sine and cosine of d for |d| <= 2^-7, with relative errors below 2^-67.
SineCosine quickly(Pair d) {
  const double x = d.high, square = x * x;
  const double sine_tail = square * x * (-1.0 / 6 + square * (1.0 / 120 + square * (-1.0 / 5040)));
  const double cosine_tail =
      square * (-0.5 + square * (1.0 / 24 + square * (-1.0 / 720 + square * (1.0 / 40320))));
  return {detail::normalised(x, d.low + sine_tail), detail::normalised(1, cosine_tail - x * d.low)};
}

/// The same with errors below 2^-99.
SineCosine carefully(Pair d) { return {series(d, 1, 15), series(d, 0, 16)}; }

/// The tangent, or with `is_turned` that of a quarter of a turn more, of an angle from -π / 4 to π / 4, or
/// slightly beyond.
double tangent_of_angle(Pair angle, bool is_turned) {
  static const Table table = make_table();
  const bool is_negative = angle.high < 0;
  if (is_negative) angle = -angle;
  const double step = (angle.high * kSteps + 0x1.8p52) - 0x1.8p52;
  const SineCosine& near = table[static_cast<std::size_t>(step)];
  const Pair d = angle + Pair{-step / kSteps, 0};
  const auto ratio = [&](const SineCosine& of_rest) {
    const Pair sine = near.sine * of_rest.cosine + near.cosine * of_rest.sine;
    const Pair cosine = near.cosine * of_rest.cosine - near.sine * of_rest.sine;
    return is_turned ? quotient(cosine, sine) : quotient(sine, cosine);
  };
  Pair result = ratio(quickly(d));
  if (!detail::rounds_surely(result, 0x1p-62 * result.high)) result = ratio(carefully(d));
  return is_negative != is_turned ? -result.high : result.high;
}

/// The sine or cosine of an angle from -π / 4 to π / 4, or slightly beyond.
double of_angle(Pair angle, bool is_sine) {
  static const Table table = make_table();
  const bool is_negative = angle.high < 0;
  if (is_negative) angle = {-angle.high, -angle.low};
  const double step = (angle.high * kSteps + 0x1.8p52) - 0x1.8p52;
  const SineCosine& near = table[static_cast<std::size_t>(step)];
  const Pair d = angle + Pair{-step / kSteps, 0};
  const auto combined = [&](const SineCosine& of_rest) {
    if (is_sine) return near.sine * of_rest.cosine + near.cosine * of_rest.sine;
    return near.cosine * of_rest.cosine + near.sine * of_rest.sine * Pair{-1, 0};
  };
  Pair result = combined(quickly(d));
  if (!detail::rounds_surely(result, 0x1p-64 * result.high)) result = combined(carefully(d));
  return is_sine && is_negative ? -result.high : result.high;
}

Reduced quarter_and_angle(double magnitude) {
  constexpr double kQuarterPi = 0x1.921fb54442d18p-1;
  return magnitude >= kQuarterPi ? reduced(magnitude) : Reduced{{magnitude, 0}, 0};
}

/// sin(x + quadrants · π / 2)
double sine_from(double x, unsigned quadrants) {
  Reduced argument = quarter_and_angle(std::fabs(x));
  if (std::signbit(x)) argument = {{-argument.angle.high, -argument.angle.low}, (4 - argument.quadrant) & 3};
  const unsigned quadrant = (argument.quadrant + quadrants) & 3;
  const double value = of_angle(argument.angle, quadrant % 2 == 0);
  return quadrant >= 2 ? -value : value;
}

constexpr double kTiny = 0x1p-27;  // below it sin x rounds to x and cos x to 1
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

double sine(double x) {
  if (!std::isfinite(x)) return kNan;
  return std::fabs(x) < kTiny ? x : sine_from(x, 0);
}

double cosine(double x) {
  if (!std::isfinite(x)) return kNan;
  return std::fabs(x) < kTiny ? 1 : sine_from(x, 1);
}

double tangent(double x) {
  if (!std::isfinite(x)) return kNan;
  const double magnitude = std::fabs(x);
  if (magnitude < kTiny) return x;
  const Reduced argument = quarter_and_angle(magnitude);
  return std::copysign(1.0, x) * tangent_of_angle(argument.angle, argument.quadrant % 2 == 1);
}

}  // namespace pileus
