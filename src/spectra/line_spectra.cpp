#include "spectra/line_spectra.h"

#include <array>
#include <utility>

#include "spectra/lines.h"
#include "spectra/transform.h"

namespace pileus::spectra {

LineSpectra::LineSpectra(Axis axis, Detrend detrend, std::vector<Source> sources)
    : axis_(std::move(axis)), detrend_(detrend), sources_(std::move(sources)) {
  if (axis_.size < 1) return;
  const double factor = density_factor({axis_}, axis_.step());
  for (Index mode = 0; mode < axis_.modes(); ++mode) factors_.push_back(axis_.count(mode) * factor);
}

void LineSpectra::compute(const std::vector<operators::Part>& inputs,
                          const operators::ResultPart& result) const {
  Transform transform(static_cast<std::size_t>(axis_.size));
  std::array<std::vector<Modes>, 2> modes;
  const auto make = [&](LinesOfSources& lines, std::span<Lanes> made) {
    for (std::size_t s = 0; s < sources_.size(); ++s) {
      detrend(detrend_, lines[s]);
      for (std::size_t i = 0; i < lines[s].size() && axis_.has_window; ++i) lines[s][i] *= axis_.weights[i];
      modes[s].resize(made.size());
      transform.of_real(lines[s], modes[s]);
    }
    const auto &a = modes.front(), &b = modes[sources_.size() - 1];
    for (std::size_t mode = 0; mode < made.size(); ++mode)
      made[mode] = common_power(a[mode], b[mode]) * factors_[mode];
  };
  make_by_line(axis_, sources_, inputs, result, make);
}

}  // namespace pileus::spectra
