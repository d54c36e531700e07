#include "math/square_root.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace pileus {
namespace {

constexpr std::int64_t kShift = 1000;  // even: half of it is taken from the root

/// The root but for a few units in the last place; finite, not negative.
double estimate(const ExactNumber& numerator, const ExactNumber& denominator) {
  // The quotient · 2^-shift is brought into the middle of the range of doubles.
  const std::int64_t bits = numerator.highest_bit() - denominator.highest_bit();
  const std::int64_t shift = bits / kShift * kShift;
  const double quotient = divide_rounded(numerator.times_power_of_two(-shift), denominator);
  const double root = std::ldexp(std::sqrt(quotient), static_cast<int>(shift / 2));
  return std::isinf(root) ? std::numeric_limits<double>::max() : root;
}

double next(double value) { return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) + 1); }
double previous(double value) { return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) - 1); }
bool is_even(double value) { return (std::bit_cast<std::uint64_t>(value) & 1) == 0; }

/// How the square of the middle between `value` and the next double compares with the quotient. The double
/// after the largest would be 2^1024.
std::strong_ordering compare_middle_above(double value, const ExactNumber& numerator,
                                          const ExactNumber& denominator) {
  const double above = next(value);
  const ExactNumber upper = std::isinf(above) ? ExactNumber(1).times_power_of_two(1024) : ExactNumber(above);
  const ExactNumber twice = ExactNumber(value) + upper;
  return twice * twice * denominator <=> numerator.times_power_of_two(2);
}

}  // namespace

double square_root_rounded(const ExactNumber& numerator, const ExactNumber& denominator) {
  if (numerator.is_zero()) return 0;
  double root = estimate(numerator, denominator);
  while (std::isfinite(root)) {
    const auto middle = compare_middle_above(root, numerator, denominator);
    if (middle > 0 || (middle == 0 && is_even(root))) break;
    root = next(root);
  }
  while (root > 0) {
    const double below = previous(root);
    if (!std::isfinite(below)) break;
    const auto middle = compare_middle_above(below, numerator, denominator);
    if (middle < 0 || (middle == 0 && is_even(root))) break;
    root = below;
  }
  return root;
}

}  // namespace pileus
