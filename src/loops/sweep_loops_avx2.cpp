// The loops of SweepLoops for x86-64 processors with AVX2.

#if !defined(__AVX2__) || !defined(__FMA__)
#error "compile this file for AVX2 with FMA"
#endif

#include <immintrin.h>

#define PILEUS_SWEEP_WIDTH 4
#include "loops/sweep_loops_body.h"

PILEUS_DEFINE_SWEEP_LOOPS(kAvx2SweepLoops, "avx2")
