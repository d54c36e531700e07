// The loops of SweepLoops for x86-64 processors with AVX2.

#ifndef __AVX2__
#error "compile this file for AVX2"
#endif

#define PILEUS_SWEEP_WIDTH 4
#include "loops/sweep_loops_body.h"

PILEUS_DEFINE_SWEEP_LOOPS(kAvx2SweepLoops, "avx2")
