#pragma once
// The loop over all values of a quantile: which are between two bounds. Compiled for AVX2 too.

#include <cstddef>
#include <cstdint>

namespace pileus::distributions {

/// Appends those of `size` values that are from `low` to `high` to the `count` that `to` has, in their order,
/// and adds to `below` how many are lower than `low`. REQUIRES: room for all, and none is NaN.
using TakeBetween = void (*)(const double* values, std::size_t size, double low, double high, double* to,
                             std::size_t& count, std::int64_t& below);

void take_between(const double* values, std::size_t size, double low, double high, double* to,
                  std::size_t& count, std::int64_t& below);
#ifdef PILEUS_X86_KERNELS
void take_between_avx2(const double* values, std::size_t size, double low, double high, double* to,
                       std::size_t& count, std::int64_t& below);
#endif

/// The fastest that this processor has.
TakeBetween best_take_between();

}  // namespace pileus::distributions
