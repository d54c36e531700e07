// The function that bench/neighbours.py calls.

#include "measured_operator.h"

using pileus::operators::Index;

/// vorticity[x,y](u, v) on distances of 100. Returns nanoseconds.
extern "C" double bench_vorticity_ns(Index nx, Index ny, Index nz, const double* u, const double* v,
                                     double* out) {
  using namespace pileus::operators;
  const Prepared prepared = pileus::bench::prepared_for("vorticity",
                                                        {{"u", "w"},
                                                         {"v", "v"},
                                                         {"dimensions", "x,y"},
                                                         {"border", "one-sided"},
                                                         {"border_y", "one-sided"},
                                                         {"spacing", "100"},
                                                         {"spacing_y", "100"},
                                                         {"period", ""},
                                                         {"period_y", ""},
                                                         {"radius", ""}},
                                                        {nx, ny, nz}, true);
  const Region whole{{0, 0, 0}, {nx, ny, nz}};
  const double start = pileus::bench::thread_ns();
  prepared.compute({{Type::float64, u, whole}, {Type::float64, v, whole}}, {Type::float64, out, whole});
  return pileus::bench::thread_ns() - start;
}
