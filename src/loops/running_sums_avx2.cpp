// The loops of RunningSumLoops for x86-64 processors with AVX2.

#if !defined(__AVX2__) || !defined(__FMA__)
#error "compile this file for AVX2 with FMA"
#endif

#include "loops/running_sums_body.h"

PILEUS_DEFINE_RUNNING_SUM_LOOPS(kAvx2RunningSums, "avx2")
