#include "loops/running_sums.h"

#include "loops/sum_kernel.h"

namespace pileus::detail {

extern constinit const RunningSumLoops kPortableRunningSums;
#ifdef PILEUS_X86_KERNELS
extern constinit const RunningSumLoops kAvx2RunningSums;
extern constinit const RunningSumLoops kAvx512RunningSums;
#endif

const RunningSumLoops& running_sum_loops() {
  // In the order of sum_kernels().
  static constexpr const RunningSumLoops* kSets[] = {
      &kPortableRunningSums,
#ifdef PILEUS_X86_KERNELS
      &kAvx2RunningSums,
      &kAvx512RunningSums,
#endif
  };
  return *kSets[sum_kernel_number()];
}

}  // namespace pileus::detail
