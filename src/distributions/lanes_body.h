#pragma once
// The loop of ApplyExchanges, compiled once for each instruction set; included by those files alone.

#include "distributions/lanes.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace pileus::distributions {
namespace {

#ifdef __AVX2__
using Vector = __m256d;
Vector load(const double* from) { return _mm256_loadu_pd(from); }
void store(double* to, Vector numbers) { _mm256_storeu_pd(to, numbers); }
/// Of equal numbers both are kept.
Vector lower(Vector a, Vector b) { return _mm256_min_pd(b, a); }
Vector higher(Vector a, Vector b) { return _mm256_max_pd(a, b); }
#else
using Vector __attribute__((vector_size(16))) = double;
Vector load(const double* from) {
  Vector numbers;
  __builtin_memcpy(&numbers, from, sizeof numbers);
  return numbers;
}
void store(double* to, Vector numbers) { __builtin_memcpy(to, &numbers, sizeof numbers); }
Vector lower(Vector a, Vector b) { return b < a ? b : a; }
Vector higher(Vector a, Vector b) { return b < a ? a : b; }
#endif

void apply_all(std::span<const Exchange> exchanges, double* rows) {
  constexpr std::size_t kWidth = sizeof(Vector) / sizeof(double);
  for (const Exchange& exchange : exchanges) {
    double *const low = rows + kLanes * exchange.low, *const high = rows + kLanes * exchange.high;
    for (std::size_t lane = 0; lane < kLanes; lane += kWidth) {
      const Vector a = load(low + lane), b = load(high + lane);
      store(low + lane, lower(a, b));
      store(high + lane, higher(a, b));
    }
  }
}

}  // namespace
}  // namespace pileus::distributions
