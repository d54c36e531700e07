// The loops of ColumnLoops for x86-64 processors with AVX2.

#if !defined(__AVX2__) || !defined(__FMA__)
#error "compile this file for AVX2 with FMA"
#endif

#include "loops/column_loops_body.h"

PILEUS_DEFINE_COLUMN_LOOPS(kAvx2Columns, "avx2")
