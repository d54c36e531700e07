#include <algorithm>
#include <cmath>
#include <limits>

#include "functions/binary_exponents.h"
#include "functions/functions.h"

namespace pileus {

double hypotenuse(double a, double b) {
  using detail::Pair;
  if (std::isinf(a) || std::isinf(b)) return std::numeric_limits<double>::infinity();
  if (a != a || b != b) return std::numeric_limits<double>::quiet_NaN();
  const double large = std::max(std::fabs(a), std::fabs(b)), small = std::min(std::fabs(a), std::fabs(b));
  if (small == 0) return large;
  const int exponent = std::ilogb(large);
  if (std::ilogb(small) < exponent - 60) return large;  // far less than half a unit is added
  const double x = std::ldexp(large, -exponent), y = std::ldexp(small, -exponent);
  return detail::scaled(square_root(Pair{x, 0} * Pair{x, 0} + Pair{y, 0} * Pair{y, 0}), exponent);
}

}  // namespace pileus
