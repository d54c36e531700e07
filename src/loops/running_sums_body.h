#pragma once

// The loops of RunningSumLoops, compiled once for each instruction set; included by those files alone.
// The compiler makes vectors of them. It must never contract or reorder their operations.

#include <algorithm>
#include <cmath>
#include <limits>

#include "loops/ordinary_products.h"
#include "loops/pair.h"
#include "loops/running_sums.h"

namespace pileus::detail {
namespace {

/// As DoubleDouble::add_product, given the product and its error.
inline void add_with_error(double value, double error, double& high, double& low) {
  const double sum = high + value, of_value = sum - high;
  const double lost = (high - (sum - of_value)) + (value - of_value);
  const double rest = lost + (low + error);
  const double total = sum + rest, of_rest = total - sum;
  const double left = (sum - (total - of_rest)) + (rest - of_rest);
  const bool is_finite = total - total == 0;
  const double kept = sum == sum ? sum : std::numeric_limits<double>::quiet_NaN();
  high = is_finite ? total : kept;
  low = is_finite ? left : 0;
}

#ifdef __FMA__

template <class T>
void add_all(double weight, const T* values, double* __restrict high, double* __restrict low,
             std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = static_cast<double>(values[i]);
    const double product = weight * value;
    add_with_error(product, __builtin_fma(weight, value, -product), high[i], low[i]);
  }
}

#else

template <class T>
void add_all(double weight, const T* values, double* __restrict high, double* __restrict low,
             std::size_t count) {
  constexpr std::size_t kBlock = 256;
  for (std::size_t first = 0; first < count; first += kBlock) {
    const std::size_t end = std::min(first + kBlock, count);
    if (is_ordinary_weight(weight) && are_ordinary_values(values + first, end - first)) {
      for (std::size_t i = first; i < end; ++i) {
        const WithError product = exact_product(weight, static_cast<double>(values[i]));
        add_with_error(product.high, product.error, high[i], low[i]);
      }
      continue;
    }
    for (std::size_t i = first; i < end; ++i) {
      const WithError product = two_product(weight, static_cast<double>(values[i]));
      add_with_error(product.high, product.error, high[i], low[i]);
    }
  }
}

#endif

void divide_all(const double* high, const double* low, DoubleDouble divisor, double* __restrict out,
                std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const double first = high[i] / divisor.high;
#ifdef __FMA__
    const double rest = __builtin_fma(-first, divisor.high, high[i]) + (low[i] - first * divisor.low);
#else
    const double rest = std::fma(-first, divisor.high, high[i]) + (low[i] - first * divisor.low);
#endif
    const double corrected = first + rest / divisor.high;
    out[i] = corrected - corrected == 0 ? corrected : first;
  }
}

}  // namespace
}  // namespace pileus::detail

#define PILEUS_DEFINE_RUNNING_SUM_LOOPS(variable, name)                                                     \
  namespace pileus::detail {                                                                                \
  extern constinit const RunningSumLoops variable;                                                          \
  constinit const RunningSumLoops variable = {name, add_all<double>, add_all<float>, add_all<std::int32_t>, \
                                              divide_all};                                                  \
  }
