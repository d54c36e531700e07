// For x86-64 processors with AVX2.

#ifndef __AVX2__
#error "compile this file for AVX2"
#endif

#include "distributions/lanes_body.h"

void pileus::distributions::apply_exchanges_avx2(std::span<const Exchange> exchanges, double* rows) {
  apply_all(exchanges, rows);
}
