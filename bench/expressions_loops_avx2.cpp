// The same loops, compiled for AVX2.

#define PILEUS_LOOP_NAME(name) name##_avx2
#include "expressions_loops_body.h"
