// Transforms for x86-64 processors with AVX2.

#ifndef __AVX2__
#error "compile this file for AVX2"
#endif

#define PILEUS_TRANSFORM_SET avx2
#include "spectra/transform_body.h"
