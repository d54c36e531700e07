// The function that bench/spectra.py calls.

#include "measured_operator.h"

using pileus::operators::Index;

/// spectrum[dimensions](w, detrend=none). Returns nanoseconds.
extern "C" double bench_spectrum_ns(const char* dimensions, Index nx, Index ny, Index nz, const double* field,
                                    double* out) {
  return pileus::bench::measured_ns(
      "spectrum", {{"dimensions", dimensions}, {"window", "none"}, {"detrend", "none"}, {"spacing", ""}},
      {nx, ny, nz}, field, out);
}
