#pragma once
// The functions of equations that are computed one element after the other, each declared once, in
// kDeclaredFunctions. The parser, suggestions, checks of units, help and the evaluation of blocks ask the
// declaration (docs/add-a-reduction.md, "A function"). They have the same bits on every processor and with
// every C library: none may call functions of the library but those whose results IEEE 754 defines.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace pileus {

// The result is the nearest double in all but about one of 2^30 cases, where it is the next one. NaN,
// infinities, zeros and signs: as in C; every NaN is the same. REQUIRES: FloatingPointEnvironment.

double tangent(double x);
double arc_sine(double x);
double arc_cosine(double x);
double arc_tangent(double x);
double arc_tangent_of_two(double y, double x);
double hyperbolic_sine(double x);
double hyperbolic_cosine(double x);
double hyperbolic_tangent(double x);
double decimal_logarithm(double x);
double binary_logarithm(double x);
/// The root of a² + b², without overflow on the way. Infinite if either is, even if the other is NaN.
double hypotenuse(double a, double b);

// Exact.
inline double one_nan_or(double x, double otherwise) {
  return x != x ? std::numeric_limits<double>::quiet_NaN() : otherwise;
}
inline double round_down(double x) { return one_nan_or(x, std::floor(x)); }
inline double round_up(double x) { return one_nan_or(x, std::ceil(x)); }
/// To the nearest whole number, and to the even one of two, as NumPy does.
inline double round_to_even(double x) { return one_nan_or(x, std::nearbyint(x)); }
/// -1, 0 or 1; 0 of both zeros.
inline double sign_of(double x) { return one_nan_or(x, x > 0 ? 1 : x < 0 ? -1 : 0); }

/// What a function takes and gives; "a number" has no units.
enum class FunctionUnits : std::uint8_t {
  of_number,     ///< of a number a number
  of_angle,      ///< of radians a number
  angle_of,      ///< of a number radians
  angle_of_two,  ///< of two values in the same units radians
  kept,          ///< of any value one in the same units
  joined,        ///< of two values in the same units another one
  dropped        ///< of any value a number
};

struct FunctionDeclaration {
  std::string_view word;
  std::string_view written;  ///< with its arguments
  std::string_view help;
  FunctionUnits units;
  int arguments;  ///< 1 or 2
  /// The function of `count` numbers, and of as many others if it takes two. `out` may be none of them.
  void (*run)(const double* a, const double* b, std::size_t count, double* out);
  bool is_cheap = false;      ///< to compute it costs no more than to read it
  bool is_symmetric = false;  ///< its two arguments may change places
};

namespace detail {

template <double (*function)(double)>
void run_one(const double* a, const double*, std::size_t count, double* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = function(a[i]);
}
template <double (*function)(double, double)>
void run_two(const double* a, const double* b, std::size_t count, double* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = function(a[i], b[i]);
}

}  // namespace detail

/// Checkpoints have their numbers: new ones come last.
// clang-format off
inline constexpr auto kDeclaredFunctions = std::to_array<FunctionDeclaration>({
    {"tan", "tan(a)", "the tangent of an angle in radians", FunctionUnits::of_angle, 1,
     detail::run_one<tangent>},
    {"asin", "asin(a)", "the angle with this sine, in radians from -pi/2 to pi/2", FunctionUnits::angle_of, 1,
     detail::run_one<arc_sine>},
    {"acos", "acos(a)", "the angle with this cosine, in radians from 0 to pi", FunctionUnits::angle_of, 1,
     detail::run_one<arc_cosine>},
    {"atan", "atan(a)", "the angle with this tangent, in radians from -pi/2 to pi/2", FunctionUnits::angle_of,
     1, detail::run_one<arc_tangent>},
    {"atan2", "atan2(y, x)", "the angle of the point (x, y), in radians from -pi to pi",
     FunctionUnits::angle_of_two, 2, detail::run_two<arc_tangent_of_two>},
    {"sinh", "sinh(a)", "the hyperbolic sine", FunctionUnits::of_number, 1, detail::run_one<hyperbolic_sine>},
    {"cosh", "cosh(a)", "the hyperbolic cosine", FunctionUnits::of_number, 1,
     detail::run_one<hyperbolic_cosine>},
    {"tanh", "tanh(a)", "the hyperbolic tangent", FunctionUnits::of_number, 1,
     detail::run_one<hyperbolic_tangent>},
    {"log10", "log10(a)", "the logarithm to the base 10", FunctionUnits::of_number, 1,
     detail::run_one<decimal_logarithm>},
    {"log2", "log2(a)", "the logarithm to the base 2", FunctionUnits::of_number, 1,
     detail::run_one<binary_logarithm>},
    {"floor", "floor(a)", "the greatest whole number that is not above a", FunctionUnits::kept, 1,
     detail::run_one<round_down>, true},
    {"ceil", "ceil(a)", "the least whole number that is not below a", FunctionUnits::kept, 1,
     detail::run_one<round_up>, true},
    {"round", "round(a)", "the nearest whole number, the even one of two", FunctionUnits::kept, 1,
     detail::run_one<round_to_even>, true},
    {"sign", "sign(a)", "-1, 0 or 1 where a is below, at or above 0", FunctionUnits::dropped, 1,
     detail::run_one<sign_of>, true},
    {"hypot", "hypot(a, b)", "the root of a^2 + b^2", FunctionUnits::joined, 2, detail::run_two<hypotenuse>,
     false, true},
});
// clang-format on

}  // namespace pileus
