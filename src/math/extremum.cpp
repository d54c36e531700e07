#include "math/extremum.h"

#include <bit>
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

/// Takes `columns` columns side by side. Their values pass once, with nothing but comparisons.
template <Sign sign, std::size_t columns, class T>
void add_to_columns(double* smallest, const T* values, std::size_t rows, std::ptrdiff_t stride) {
  constexpr auto kInfinity = std::numeric_limits<double>::infinity();
  double least[columns];
  std::uint64_t signs[columns] = {}, is_nan[columns] = {};
  for (double& value : least) value = kInfinity;
  for (std::size_t r = 0; r < rows; ++r, values += stride) {
    for (std::size_t c = 0; c < columns; ++c) {
      const double wide = static_cast<double>(values[c]);
      const double value = sign == Sign::negated ? -wide : wide;
      least[c] = value < least[c] ? value : least[c];
      signs[c] |= std::bit_cast<std::uint64_t>(value);
      is_nan[c] |= value != value ? 1 : 0;
    }
  }
  for (std::size_t c = 0; c < columns; ++c) {
    // Where the least is a zero, no other value has a sign: one that has is −0.
    if (least[c] == 0) least[c] = signs[c] >> 63 != 0 ? -0.0 : 0.0;
    if (is_nan[c] != 0) least[c] = std::numeric_limits<double>::quiet_NaN();
    smallest[c] = smaller(smallest[c], least[c]);
  }
}

template <Sign sign, class T>
void add_all_columns(std::span<double> smallest, const T* values, std::size_t rows, std::ptrdiff_t stride) {
  std::size_t c = 0;
  for (; c + kLanes <= smallest.size(); c += kLanes)
    add_to_columns<sign, kLanes>(&smallest[c], values + c, rows, stride);
  for (; c < smallest.size(); ++c) add_to_columns<sign, 1>(&smallest[c], values + c, rows, stride);
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

template <class T>
void add_to_smallest(std::span<double> smallest, const T* values, std::size_t rows,
                     std::ptrdiff_t stride_elements, Sign sign) {
  sign == Sign::as_is ? add_all_columns<Sign::as_is>(smallest, values, rows, stride_elements)
                      : add_all_columns<Sign::negated>(smallest, values, rows, stride_elements);
}

#define PILEUS_SMALLEST_OF(T)                                                       \
  template double smallest<T>(std::span<const T>, Sign);                            \
  template double smallest_strided<T>(const T*, std::size_t, std::ptrdiff_t, Sign); \
  template void add_to_smallest<T>(std::span<double>, const T*, std::size_t, std::ptrdiff_t, Sign);
PILEUS_SMALLEST_OF(double)
PILEUS_SMALLEST_OF(float)
PILEUS_SMALLEST_OF(std::int8_t)
PILEUS_SMALLEST_OF(std::int32_t)
PILEUS_SMALLEST_OF(std::int64_t)
#undef PILEUS_SMALLEST_OF

}  // namespace pileus::detail
