#include "loops/element_loops.h"

#include "loops/sum_kernel.h"

namespace pileus::detail {

extern constinit const ElementLoops kPortableElementLoops;
#ifdef PILEUS_X86_KERNELS
extern constinit const ElementLoops kAvx2ElementLoops;
extern constinit const ElementLoops kAvx512ElementLoops;
#endif

const ElementLoops& element_loops() {
  // In the order of sum_kernels().
  static constexpr const ElementLoops* kSets[] = {
      &kPortableElementLoops,
#ifdef PILEUS_X86_KERNELS
      &kAvx2ElementLoops,
      &kAvx512ElementLoops,
#endif
  };
  return *kSets[sum_kernel_number()];
}

}  // namespace pileus::detail
