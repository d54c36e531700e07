// The functions that bench/distributions.py calls.

#include "distributions/sketch.h"
#include "measured_operator.h"

using pileus::operators::Index;

/// quantile[dimensions](w, quantiles) or, without quantiles, mode[dimensions](w). Returns nanoseconds.
extern "C" double bench_quantile_ns(const char* dimensions, const char* quantiles, const char* method,
                                    Index nx, Index ny, Index nz, const double* field, double* out) {
  const std::string q = quantiles;
  if (q.empty())
    return pileus::bench::measured_ns("mode", {{"dimensions", dimensions}}, {nx, ny, nz}, field, out);
  return pileus::bench::measured_ns(
      "quantile", {{"dimensions", dimensions}, {"q", q}, {"levels", "quantile"}, {"method", method}},
      {nx, ny, nz}, field, out);
}

/// cumsum[z](w) or argmax[z](w). Returns nanoseconds.
extern "C" double bench_along_ns(const char* name, Index nx, Index ny, Index nz, const double* field,
                                 double* out) {
  return pileus::bench::measured_ns(name, {{"dimension", "z"}, {"from", "first"}}, {nx, ny, nz}, field, out);
}

/// One percentile over time of `points` series, `samples` one behind the other. Returns nanoseconds.
extern "C" double bench_percentile_ns(Index points, Index samples, const double* series, double share,
                                      double* out) {
  std::vector<pileus::distributions::Sketch> sketches(static_cast<std::size_t>(points));
  const double start = pileus::bench::thread_ns();
  for (Index s = 0; s < samples; ++s)
    for (Index p = 0; p < points; ++p) sketches[static_cast<std::size_t>(p)].add(series[s * points + p]);
  for (Index p = 0; p < points; ++p) out[p] = sketches[static_cast<std::size_t>(p)].quantile(share);
  return pileus::bench::thread_ns() - start;
}
