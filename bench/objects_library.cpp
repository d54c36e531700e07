// The function that bench/objects.py calls.

#include "measured_operator.h"

using pileus::operators::Index;

/// label[dimensions](w). Returns nanoseconds.
extern "C" double bench_label_ns(const char* dimensions, Index nx, Index ny, Index nz, const double* field,
                                 double* out) {
  return pileus::bench::measured_ns(
      "label", {{"dimensions", dimensions}, {"periodic", ""}, {"corners", "false"}, {"of", "label"}},
      {nx, ny, nz}, field, out);
}
