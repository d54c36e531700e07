// The loops of ColumnLoops for x86-64 processors with AVX-512.

#if !defined(__AVX512F__) || !defined(__FMA__)
#error "compile this file for AVX-512 with FMA"
#endif

#include "loops/column_loops_body.h"

PILEUS_DEFINE_COLUMN_LOOPS(kAvx512Columns, "avx512")
