#include "distributions/between.h"

namespace pileus::distributions {

void take_between(const double* values, std::size_t size, double low, double high, double* to,
                  std::size_t& count, std::int64_t& below) {
  std::int64_t lower = 0;
  for (std::size_t i = 0; i < size; ++i) lower += values[i] < low ? 1 : 0;
  std::size_t end = count;
  for (std::size_t i = 0; i < size; ++i) {
    to[end] = values[i];
    end += static_cast<std::size_t>(values[i] >= low) & static_cast<std::size_t>(values[i] <= high);
  }
  below += lower;
  count = end;
}

TakeBetween best_take_between() {
#ifdef PILEUS_X86_KERNELS
  if (__builtin_cpu_supports("avx2") != 0) return take_between_avx2;
#endif
  return take_between;
}

}  // namespace pileus::distributions
