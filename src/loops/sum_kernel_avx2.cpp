// The loops of SumKernel for x86-64 processors with AVX2.

#if !defined(__AVX2__) || !defined(__FMA__)
#error "compile this file for AVX2 with FMA"
#endif

#include <immintrin.h>

#define PILEUS_SUM_WIDTH 4
#include "loops/sum_kernel_body.h"

PILEUS_DEFINE_SUM_KERNEL(kAvx2SumKernel, "avx2")
