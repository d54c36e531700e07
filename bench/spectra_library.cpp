// The function that bench/spectra.py calls: what a server does for one field of which it makes spectra.

#include <time.h>

#include <algorithm>

#include "analytics/operators/list.h"

namespace {

using namespace pileus;
using namespace pileus::operators;

double now_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

}  // namespace

/// spectrum[dimensions](w, detrend=none) of a field of doubles on (z, y, x), x first. Returns nanoseconds.
extern "C" double bench_spectrum_ns(const char* dimensions, Index nx, Index ny, Index nz, const double* field,
                                    double* out) {
  const Catalogue catalogue = builtin_catalogue({});
  const auto declared = std::ranges::find(catalogue.operators, "spectrum", &Declaration::name);
  const Quantity input{"w", Type::float64, {{"x", nx}, {"y", ny}, {"z", nz}}};
  const Rule rule{
      {{"field", "w"}, {"dimensions", dimensions}, {"window", "none"}, {"detrend", "none"}, {"spacing", ""}},
      {input}};
  const Prepared prepared = declared->prepare(rule);
  operators::Region made;
  for (const Dimension& one : prepared.result.dimensions) {
    made.start.push_back(0);
    made.count.push_back(one.size);
  }
  const double start = now_ns();
  prepared.compute({{Type::float64, field, {{0, 0, 0}, {nx, ny, nz}}}}, {Type::float64, out, made});
  return now_ns() - start;
}
