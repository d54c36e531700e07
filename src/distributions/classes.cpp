// The loops of ClassLoops for any processor.

#include "distributions/classes.h"

#include "distributions/classes_body.h"

namespace pileus::distributions {

const ClassLoops kPortableClassLoops = {add, make};

const ClassLoops& best_class_loops() {
#ifdef PILEUS_X86_KERNELS
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("popcnt") != 0) return kAvx2ClassLoops;
#endif
  return kPortableClassLoops;
}

}  // namespace pileus::distributions
