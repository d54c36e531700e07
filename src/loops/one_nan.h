#pragma once

// One NaN for all: which of them a processor makes differs.

#include <limits>

namespace pileus::detail {

/// Makes every NaN the same quiet NaN, so that equal results are equal bits on every processor.
inline double with_one_nan(double value) {
  return value != value ? std::numeric_limits<double>::quiet_NaN() : value;
}

}  // namespace pileus::detail
