#include "loops/sweep_loops.h"

#include "loops/sum_kernel.h"

namespace pileus::detail {

extern constinit const SweepLoops kPortableSweepLoops;
#ifdef PILEUS_X86_KERNELS
extern constinit const SweepLoops kAvx2SweepLoops;
extern constinit const SweepLoops kAvx512SweepLoops;
#endif

const SweepLoops& sweep_loops() {
  // In the order of sum_kernels().
  static constexpr const SweepLoops* kSets[] = {
      &kPortableSweepLoops,
#ifdef PILEUS_X86_KERNELS
      &kAvx2SweepLoops,
      &kAvx512SweepLoops,
#endif
  };
  return *kSets[sum_kernel_number()];
}

}  // namespace pileus::detail
