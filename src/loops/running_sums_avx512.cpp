// The loops of RunningSumLoops for x86-64 processors with AVX-512.

#if !defined(__AVX512F__) || !defined(__FMA__)
#error "compile this file for AVX-512 with FMA"
#endif

#include "loops/running_sums_body.h"

PILEUS_DEFINE_RUNNING_SUM_LOOPS(kAvx512RunningSums, "avx512")
