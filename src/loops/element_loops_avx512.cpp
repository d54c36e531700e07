// The loops of ElementLoops for x86-64 processors with AVX-512.

#ifndef __AVX512F__
#error "compile this file for AVX-512"
#endif

#include "loops/element_loops_body.h"

PILEUS_DEFINE_ELEMENT_LOOPS(kAvx512ElementLoops, "avx512")
