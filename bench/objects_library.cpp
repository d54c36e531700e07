// The function that bench/objects.py calls: what a server does for one field whose objects it labels.

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

/// label[dimensions](w) of a field of doubles on (z, y, x), x first. Returns nanoseconds.
extern "C" double bench_label_ns(const char* dimensions, Index nx, Index ny, Index nz, const double* field,
                                 double* out) {
  const Catalogue catalogue = builtin_catalogue({});
  const auto declared = std::ranges::find(catalogue.operators, "label", &Declaration::name);
  const Quantity input{"w", Type::float64, {{"x", nx}, {"y", ny}, {"z", nz}}};
  const Rule rule{
      {{"field", "w"}, {"dimensions", dimensions}, {"periodic", ""}, {"corners", "false"}, {"of", "label"}},
      {input}};
  const Prepared prepared = declared->prepare(rule);
  const operators::Region whole{{0, 0, 0}, {nx, ny, nz}};
  const double start = now_ns();
  prepared.compute({{Type::float64, field, whole}}, {Type::float64, out, whole});
  return now_ns() - start;
}
