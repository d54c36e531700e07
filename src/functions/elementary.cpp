#include "functions/elementary.h"

#include "functions/binary_exponents.h"

namespace pileus {
namespace {

using detail::Pair;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

double exponential(double x) {
  if (x != x) return kNan;
  if (x > 710) return kInfinity;  // e^709.8 is the largest double
  if (x < -746) return 0;         // e^-745.2 is half the smallest double
  if (std::fabs(x) < 0x1p-60) return 1;
  const Pair exponent = Pair{x, 0} * detail::kLog2E;
  const detail::ScaledPair quick = detail::power_of_two<2>(exponent);
  const bool is_sure = detail::rounds_surely(quick.value, 0x1p-70 * quick.value.high);
  if (is_sure && quick.exponent > detail::kSubnormalExponent)
    return detail::scaled(quick.value, quick.exponent);
  const detail::ScaledPair careful = detail::power_of_two<4>(exponent);
  return detail::scaled(careful.value, careful.exponent);
}

double logarithm(double x) {
  if (x != x || x < 0) return kNan;
  if (x == 0) return -kInfinity;
  if (x == kInfinity || x == 1) return x == 1 ? 0 : x;
  const detail::Split parts = detail::split(x);
  const Pair quick = detail::log2_of<2>(parts) * detail::kLn2;
  if (detail::rounds_surely(quick, 0x1p-66 * std::fabs(quick.high))) return quick.high;
  return (detail::log2_of<5>(parts) * detail::kLn2).high;
}

double modulo(double a, double b) {
  const double rest = std::fmod(a, b);  // exact, with the sign of a
  if (rest != rest) return kNan;
  if (rest == 0) return std::copysign(0.0, b);
  return std::signbit(rest) == std::signbit(b) ? rest : rest + b;
}

}  // namespace pileus
