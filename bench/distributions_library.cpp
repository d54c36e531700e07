// The functions that bench/distributions.py calls.

#include "analytics/operators/reduce_tuples.h"
#include "measured_operator.h"
#include "time/manipulations/list.h"
#include "time/window.h"

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

/// histogram(w, edges=first:last:step) of `bins` bins. Returns nanoseconds.
extern "C" double bench_histogram_ns(Index elements, const double* field, double first, double last,
                                     Index bins, double* out) {
  auto edges = std::make_shared<std::vector<double>>();
  for (Index i = 0; i <= bins; ++i)
    edges->push_back(first + static_cast<double>(i) * ((last - first) / static_cast<double>(bins)));
  const auto numbers = std::make_shared<std::vector<double>>(field, field + elements);
  const auto* const bytes = reinterpret_cast<const std::byte*>(numbers->data());
  const pileus::Array array{pileus::ElementType::float64, {elements}, {numbers, bytes}};
  const pileus::AlignedInput by{array, 0, {1}, {}};
  const double start = pileus::bench::thread_ns();
  const auto counts =
      pileus::reduce_tuples(array, std::span(&by, 1), {pileus::Reduction::count, edges}, {0}, {{bins}, {0}});
  for (Index i = 0; i < bins; ++i) out[i] = (*counts.values)[static_cast<std::size_t>(i)].value();
  return pileus::bench::thread_ns() - start;
}

/// A percentile over time of `points` series, `samples` one behind the other. Returns nanoseconds.
extern "C" double bench_percentile_ns(Index points, Index samples, const double* series, double* out) {
  const auto window = pileus::manipulations::percentile_95().make_window(false, std::nullopt);
  const auto numbers = std::make_shared<std::vector<double>>(series, series + samples * points);
  const double start = pileus::bench::thread_ns();
  for (Index s = 0; s < samples; ++s) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(numbers->data() + s * points);
    window->add(pileus::Array{pileus::ElementType::float64, {points}, {numbers, bytes}}, 1.0);
  }
  const std::optional<pileus::Array> record = window->take_record();
  const double ns = pileus::bench::thread_ns() - start;
  std::ranges::copy(record->as<double>(), out);
  return ns;
}

/// in_bins(w, edges), accumulated over `samples` steps: the histogram of each of `points` over time. `edges`:
/// as configurations have them; `out`: by bin, then by point. Returns nanoseconds.
extern "C" double bench_bins_over_time_ns(Index points, Index samples, const char* edges,
                                          const double* series, double* out) {
  using namespace pileus;
  const operators::Prepared prepared =
      bench::prepared_for("in_bins", {{"edges", edges}, {"bins", "bin"}, {"units", ""}}, {points, 1, 1});
  const Index bins = prepared.result.dimensions.back().size;
  const operators::Region part{{0, 0, 0}, {points, 1, 1}}, made{{0, 0, 0, 0}, {points, 1, 1, bins}};
  const auto window = manipulations::accumulated().make_window(true, std::nullopt);
  const double start = bench::thread_ns();
  for (Index s = 0; s < samples; ++s) {
    auto values = std::vector<double>(static_cast<std::size_t>(points * bins));
    prepared.compute({{operators::Type::float64, series + s * points, part}},
                     {operators::Type::float64, values.data(), made});
    window->add(make_array(std::move(values), {points, 1, 1, bins}), 1.0);
  }
  const std::optional<Array> record = window->take_record();
  const double ns = bench::thread_ns() - start;
  std::ranges::copy(record->as<double>(), out);
  return ns;
}
