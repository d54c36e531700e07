// The loops of FunctionLoops for x86-64 processors with AVX-512.

#ifndef __AVX512F__
#error "compile this file for AVX-512"
#endif

#define PILEUS_FUNCTION_WIDTH 8
#include "functions/function_loops_body.h"

PILEUS_DEFINE_FUNCTION_LOOPS(kAvx512FunctionLoops, "avx512")
