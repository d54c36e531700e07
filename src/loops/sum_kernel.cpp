#include "loops/sum_kernel.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string_view>

namespace pileus::detail {

extern constinit const SumKernel kPortableSumKernel;
#ifdef PILEUS_X86_KERNELS
extern constinit const SumKernel kAvx2SumKernel;
extern constinit const SumKernel kAvx512SumKernel;
#endif

namespace {

constexpr const SumKernel* kKernels[] = {
    &kPortableSumKernel,
#ifdef PILEUS_X86_KERNELS
    &kAvx2SumKernel,
    &kAvx512SumKernel,
#endif
};

const SumKernel* chosen() {
  const char* const wanted = std::getenv("PILEUS_SUM_KERNEL");
  const SumKernel* best = &kPortableSumKernel;
  for (const SumKernel* kernel : kKernels) {
    if (!is_usable(*kernel)) continue;
    best = kernel;
    if (wanted != nullptr && std::string_view(wanted) == kernel->name) break;
  }
  return best;
}

/// Which loops run changes the speed only, so that one choice for the process does no harm.
std::atomic<const SumKernel*>& in_use() {
  static std::atomic<const SumKernel*> kernel = chosen();
  return kernel;
}

}  // namespace

std::span<const SumKernel* const> sum_kernels() { return kKernels; }

bool is_usable(const SumKernel& kernel) {
#ifdef PILEUS_X86_KERNELS
  if (&kernel == &kAvx2SumKernel)
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  if (&kernel == &kAvx512SumKernel)
    return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("fma") != 0;
#endif
  return &kernel == &kPortableSumKernel;
}

const SumKernel& sum_kernel() { return *in_use().load(std::memory_order_relaxed); }

std::size_t sum_kernel_number() {
  const auto kernels = sum_kernels();
  return static_cast<std::size_t>(std::ranges::find(kernels, &sum_kernel()) - kernels.begin());
}

void use_sum_kernel(const SumKernel& kernel) { in_use().store(&kernel, std::memory_order_relaxed); }

}  // namespace pileus::detail
