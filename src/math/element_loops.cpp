#include "math/element_loops.h"

#include <string_view>

#include "math/sum_kernel.h"

namespace pileus::detail {

extern constinit const ElementLoops kPortableElementLoops;
#ifdef PILEUS_X86_KERNELS
extern constinit const ElementLoops kAvx2ElementLoops;
extern constinit const ElementLoops kAvx512ElementLoops;
#endif

const ElementLoops& element_loops() {
#ifdef PILEUS_X86_KERNELS
  const std::string_view name = sum_kernel().name;
  for (const ElementLoops* loops : {&kAvx2ElementLoops, &kAvx512ElementLoops}) {
    if (name == loops->name) return *loops;
  }
#endif
  return kPortableElementLoops;
}

}  // namespace pileus::detail
