// Compiled with -O3 -ffast-math; linked without, so that the processor's modes stay as they are.

#include <cstdint>

#include "sum_loops.h"
#include "sum_plain.h"

namespace pileus::bench {

double fast_math_sum(const double* values, std::size_t count) { return plain_sum(values, count); }

void fast_math_levels_fastest(const double* values, std::size_t columns, std::size_t levels, double* sums) {
  plain_levels_fastest(values, columns, levels, sums);
}

void fast_math_levels_slowest(const double* values, std::size_t columns, std::size_t levels, double* sums) {
  plain_levels_slowest(values, columns, levels, sums);
}

#if defined(__x86_64__)
__attribute__((target_clones("avx2", "default")))
#endif
double
read_all(const double* values, std::size_t count) {
  double lanes[32] = {};
  const std::size_t in_lanes = count - count % 32;
  for (std::size_t i = 0; i < in_lanes; i += 32) {
    for (std::size_t lane = 0; lane < 32; ++lane) lanes[lane] += values[i + lane];
  }
  double sum = 0;
  for (const double lane : lanes) sum += lane;
  return sum;
}

double fast_math_variance(const double* values, std::size_t count) { return plain_variance(values, count); }

void fast_math_variances_fastest(const double* values, std::size_t columns, std::size_t levels,
                                 double* results) {
  plain_variances_fastest(values, columns, levels, results);
}

void fast_math_variances_slowest(const double* values, std::size_t columns, std::size_t levels,
                                 double* results) {
  plain_variances_slowest(values, columns, levels, results);
}

}  // namespace pileus::bench
