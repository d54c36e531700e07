// Included once for each set of flags, with PILEUS_LOOP_NAME(name); hence there is no "#pragma once".

#include <cmath>

#include "expressions_loops.h"

namespace pileus::bench {
namespace {

inline double product(double w, double theta, double) { return w * theta; }
inline double ten(double w, double theta, double p) {
  return std::sqrt(std::fabs(w * theta - p)) / (theta + 300) + (p > 0 ? w : theta) * 0.5;
}

template <double (*of)(double, double, double)>
void fastest(const Fields& fields, std::size_t columns, std::size_t levels, double* __restrict sums) {
  for (std::size_t z = 0; z < levels; ++z) sums[z] = 0;
  for (std::size_t c = 0; c < columns; ++c) {
    const double* __restrict w = fields.w + c * levels;
    const double* __restrict theta = fields.theta + c * levels;
    const double* __restrict p = fields.p + c * levels;
    for (std::size_t z = 0; z < levels; ++z) sums[z] += of(w[z], theta[z], p[z]);
  }
}

template <double (*of)(double, double, double)>
void slowest(const Fields& fields, std::size_t columns, std::size_t levels, double* __restrict sums) {
  for (std::size_t z = 0; z < levels; ++z) {
    const double* __restrict w = fields.w + z * columns;
    const double* __restrict theta = fields.theta + z * columns;
    const double* __restrict p = fields.p + z * columns;
    double sum = 0;
    for (std::size_t c = 0; c < columns; ++c) sum += of(w[c], theta[c], p[c]);
    sums[z] = sum;
  }
}

template <double (*of)(double, double, double)>
void array(const Fields& fields, std::size_t columns, std::size_t levels, double* __restrict values) {
  const double* __restrict w = fields.w;
  const double* __restrict theta = fields.theta;
  const double* __restrict p = fields.p;
  for (std::size_t i = 0; i < columns * levels; ++i) values[i] = of(w[i], theta[i], p[i]);
}

}  // namespace

#define PILEUS_BENCH_LOOP(name, loop, of)                                                                    \
  void PILEUS_LOOP_NAME(name)(const Fields& fields, std::size_t columns, std::size_t levels, double* sums) { \
    loop<of>(fields, columns, levels, sums);                                                                 \
  }
PILEUS_BENCH_LOOP(product_fastest, fastest, product)
PILEUS_BENCH_LOOP(product_slowest, slowest, product)
PILEUS_BENCH_LOOP(ten_fastest, fastest, ten)
PILEUS_BENCH_LOOP(ten_slowest, slowest, ten)
PILEUS_BENCH_LOOP(product_array, array, product)
PILEUS_BENCH_LOOP(ten_array, array, ten)
#undef PILEUS_BENCH_LOOP

}  // namespace pileus::bench
