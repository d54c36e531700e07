// The loops of ElementLoops for x86-64 processors with AVX2.

#ifndef __AVX2__
#error "compile this file for AVX2"
#endif

#include "loops/element_loops_body.h"

PILEUS_DEFINE_ELEMENT_LOOPS(kAvx2ElementLoops, "avx2")
