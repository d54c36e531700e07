// The loops of ClassLoops for x86-64 processors with AVX2.

#if !defined(__AVX2__) || !defined(__POPCNT__)
#error "compile this file for AVX2"
#endif

#include "distributions/classes_body.h"

namespace pileus::distributions {

const ClassLoops kAvx2ClassLoops = {add, make};

}  // namespace pileus::distributions
