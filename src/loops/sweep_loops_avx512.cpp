// The loops of SweepLoops for x86-64 processors with AVX-512.

#ifndef __AVX512F__
#error "compile this file for AVX-512"
#endif

#include <immintrin.h>

#define PILEUS_SWEEP_WIDTH 8
#include "loops/sweep_loops_body.h"

PILEUS_DEFINE_SWEEP_LOOPS(kAvx512SweepLoops, "avx512")
