// The loops of FunctionLoops for x86-64 processors with AVX2.

#ifndef __AVX2__
#error "compile this file for AVX2"
#endif

#define PILEUS_FUNCTION_WIDTH 4
#include "functions/function_loops_body.h"

PILEUS_DEFINE_FUNCTION_LOOPS(kAvx2FunctionLoops, "avx2")
