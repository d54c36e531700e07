// The functions that bench/spectra.py and time_spectra.py call.

#include "measured_operator.h"
#include "time/segments/segments_window.h"

using pileus::operators::Index;

/// spectrum[dimensions](w, detrend=none). Returns nanoseconds.
extern "C" double bench_spectrum_ns(const char* dimensions, Index nx, Index ny, Index nz, const double* field,
                                    double* out) {
  return pileus::bench::measured_ns(
      "spectrum", {{"dimensions", dimensions}, {"window", "none"}, {"detrend", "none"}, {"spacing", ""}},
      {nx, ny, nz}, field, out);
}

/// The spectra of `points` series of `samples`, one step behind the other, in segments that do not overlap:
/// their mean, frequencies behind points. Returns nanoseconds.
extern "C" double bench_time_spectrum_ns(Index points, Index samples, Index segment, const char* window,
                                         const double* series, double* out) {
  using namespace pileus;
  const std::string length = std::to_string(segment);
  auto prepared = bench::prepared_for("time_spectrum",
                                      {{"samples", length},
                                       {"interval", "1"},
                                       {"dimension", "frequency"},
                                       {"window", window},
                                       {"detrend", "mean"}},
                                      {points, 1, 1});
  const Extents extents = {points, 1, 1};
  SegmentsWindow spectra({segment, 1.0, false}, segment / 2 + 1, 1, extents, std::nullopt, prepared.compute);
  const auto numbers = std::make_shared<std::vector<double>>(series, series + samples * points);
  const double start = bench::thread_ns();
  for (Index s = 0; s < samples; ++s) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(numbers->data() + s * points);
    spectra.add(Array{ElementType::float64, extents, {numbers, bytes}}, {1.0, static_cast<double>(s + 1)});
  }
  const std::optional<Array> record = spectra.take_record(static_cast<double>(samples));
  const double ns = bench::thread_ns() - start;
  std::ranges::copy(record->as<double>(), out);
  return ns;
}
