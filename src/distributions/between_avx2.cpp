// For x86-64 processors with AVX2.

#ifndef __AVX2__
#error "compile this file for AVX2"
#endif

#include <immintrin.h>

#include <array>
#include <bit>

#include "distributions/between.h"

namespace pileus::distributions {
namespace {

/// By which of four doubles are taken: where they come from, in halves, one behind the other.
struct Order {
  alignas(32) std::array<std::int32_t, 8> from = {};
};
constexpr std::array<Order, 16> orders() {
  std::array<Order, 16> orders{};
  for (unsigned taken = 0; taken < 16; ++taken) {
    std::size_t to = 0;
    for (int k = 0; k < 4; ++k) {
      if ((taken >> k & 1U) == 0) continue;
      orders[taken].from[to++] = 2 * k;
      orders[taken].from[to++] = 2 * k + 1;
    }
  }
  return orders;
}
constexpr std::array<Order, 16> kOrders = orders();

}  // namespace

void take_between_avx2(const double* values, std::size_t size, double low, double high, double* to,
                       std::size_t& count, std::int64_t& below) {
  const __m256d lows = _mm256_set1_pd(low), highs = _mm256_set1_pd(high);
  __m256i lower = _mm256_setzero_si256();
  std::size_t i = 0, end = count;
  for (; i + 4 <= size; i += 4) {
    const __m256d four = _mm256_loadu_pd(values + i);
    const __m256d is_lower = _mm256_cmp_pd(four, lows, _CMP_LT_OQ);
    const __m256d is_inside = _mm256_andnot_pd(is_lower, _mm256_cmp_pd(four, highs, _CMP_LE_OQ));
    lower = _mm256_sub_epi64(lower, _mm256_castpd_si256(is_lower));
    const auto taken = static_cast<unsigned>(_mm256_movemask_pd(is_inside));
    const __m256i order = _mm256_load_si256(reinterpret_cast<const __m256i*>(kOrders[taken].from.data()));
    const __m256i packed = _mm256_permutevar8x32_epi32(_mm256_castpd_si256(four), order);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + end), packed);  // there is room for all four
    end += static_cast<std::size_t>(std::popcount(taken));
  }
  alignas(32) std::int64_t lanes[4];
  _mm256_store_si256(reinterpret_cast<__m256i*>(lanes), lower);
  below += lanes[0] + lanes[1] + lanes[2] + lanes[3];
  for (; i < size; ++i) {
    below += values[i] < low ? 1 : 0;
    if (values[i] >= low && values[i] <= high) to[end++] = values[i];
  }
  count = end;
}

}  // namespace pileus::distributions
