// The loops of SumKernel for x86-64 processors with AVX-512F.

#ifndef __AVX512F__
#error "compile this file for AVX-512"
#endif

#include <immintrin.h>

#define PILEUS_SUM_WIDTH 8
#include "loops/sum_kernel_body.h"

PILEUS_DEFINE_SUM_KERNEL(kAvx512SumKernel, "avx512")
