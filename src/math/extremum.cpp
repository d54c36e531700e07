#include "math/extremum.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include "math/bytes.h"

namespace pileus::detail {
namespace {

constexpr std::size_t kLanes = 8;

template <Sign sign, class T>
double smallest_of(std::span<const T> values) {
  double lanes[kLanes];
  for (double& lane : lanes) lane = std::numeric_limits<double>::infinity();
  double nan_if_any = 0;
  double nans[kLanes] = {};
  const std::size_t in_lanes = values.size() - values.size() % kLanes;
  for (std::size_t i = 0; i < in_lanes; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double value = sign == Sign::negated ? -static_cast<double>(values[i + lane])
                                                 : static_cast<double>(values[i + lane]);
      lanes[lane] = value < lanes[lane] ? value : lanes[lane];
      nans[lane] = value != value ? value : nans[lane];
    }
  }
  for (const double nan : nans) nan_if_any += nan;
  if (nan_if_any != nan_if_any) return with_one_nan(nan_if_any);

  double result = std::numeric_limits<double>::infinity();
  for (const double lane : lanes) result = smaller(result, lane);
  for (const T value : values.subspan(in_lanes)) {
    const auto wide = static_cast<double>(value);
    result = smaller(result, sign == Sign::negated ? -wide : wide);
  }
  if (result != 0) return result;
  // The lanes took −0 and +0 for equal: any −0 (of the negatives: any +0) is the smallest.
  for (const T value : values) {
    if (value == 0 && std::signbit(static_cast<double>(value)) == (sign == Sign::as_is)) return -0.0;
  }
  return 0.0;
}

}  // namespace

double smaller(double a, double b) {
  if (a != a || b != b) return std::numeric_limits<double>::quiet_NaN();
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

template <class T>
double smallest(std::span<const T> values, Sign sign) {
  return sign == Sign::as_is ? smallest_of<Sign::as_is>(values) : smallest_of<Sign::negated>(values);
}

template <class T>
double smallest_strided(const T* values, std::size_t count, std::ptrdiff_t stride_elements, Sign sign) {
  if (stride_elements == 1) return smallest(std::span<const T>(values, count), sign);
  double result = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = static_cast<double>(values[static_cast<std::ptrdiff_t>(i) * stride_elements]);
    result = smaller(result, sign == Sign::as_is ? value : -value);
  }
  return result;
}

#define PILEUS_SMALLEST_OF(T)                            \
  template double smallest<T>(std::span<const T>, Sign); \
  template double smallest_strided<T>(const T*, std::size_t, std::ptrdiff_t, Sign);
PILEUS_SMALLEST_OF(double)
PILEUS_SMALLEST_OF(float)
PILEUS_SMALLEST_OF(std::int8_t)
PILEUS_SMALLEST_OF(std::int32_t)
PILEUS_SMALLEST_OF(std::int64_t)
#undef PILEUS_SMALLEST_OF

}  // namespace pileus::detail
