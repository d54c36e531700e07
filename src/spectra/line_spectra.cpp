#include "spectra/line_spectra.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/missing.h"
#include "spectra/lines.h"
#include "spectra/transform.h"

namespace pileus::spectra {

/// What one thread needs.
struct LineSpectra::Work {
  explicit Work(const Axis& axis)
      : transform(static_cast<std::size_t>(axis.size)), lines(static_cast<std::size_t>(axis.size)) {
    modes.fill(std::vector<Modes>(static_cast<std::size_t>(axis.modes())));
  }

  Transform transform;
  std::vector<Lanes> lines;
  std::array<std::vector<Modes>, 2> modes;  ///< by source
  std::array<bool, kLanes> is_there{};
};

LineSpectra::LineSpectra(Axis axis, Detrend detrend, std::vector<Source> sources)
    : axis_(std::move(axis)), detrend_(detrend), sources_(std::move(sources)) {
  if (axis_.size < 1) return;
  const double factor = density_factor({axis_}, axis_.step());
  for (Index mode = 0; mode < axis_.modes(); ++mode) factors_.push_back(axis_.count(mode) * factor);
}

void LineSpectra::compute(const std::vector<operators::Part>& inputs,
                          const operators::ResultPart& result) const {
  Work work(axis_);
  const std::vector<std::size_t> axes = {axis_.at};
  const std::vector<Index> to = offsets_without(result.region, axes);
  std::vector<std::vector<Index>> from;
  for (const Source& source : sources_)
    from.push_back(offsets_without(inputs[source.input].region, source.axes));
  for (std::size_t first = 0; first < to.size(); first += kLanes) {
    const std::size_t count = std::min(kLanes, to.size() - first);
    work.is_there.fill(true);
    for (std::size_t s = 0; s < sources_.size(); ++s)
      transform(s, inputs[sources_[s].input], std::span(from[s]).subspan(first, count), work);
    write(work, std::span(to).subspan(first, count), result);
  }
}

void LineSpectra::transform(std::size_t number, const operators::Part& part, std::span<const Index> from,
                            Work& work) const {
  const Source& source = sources_[number];
  const Elements elements(part, source.missing);
  const Index stride = stride_of(part.region, source.axes.front());
  for (std::size_t lane = 0; lane < from.size(); ++lane) {
    const bool is_there =
        elements.copy(from[lane], stride, axis_.size, &work.lines.front().of[lane], Index{kLanes});
    work.is_there[lane] = work.is_there[lane] && is_there;
  }
  detrend(detrend_, work.lines);
  for (std::size_t i = 0; i < work.lines.size() && axis_.has_window; ++i) work.lines[i] *= axis_.weights[i];
  work.transform.of_real(work.lines, work.modes[number]);
}

void LineSpectra::write(const Work& work, std::span<const Index> to,
                        const operators::ResultPart& result) const {
  double* const values = result.as<double>().data();
  const Index stride = stride_of(result.region, axis_.at);
  const auto &a = work.modes.front(), &b = work.modes[sources_.size() - 1];
  for (std::size_t mode = 0; mode < a.size(); ++mode) {
    const Lanes power = common_power(a[mode], b[mode]) * factors_[mode];
    for (std::size_t lane = 0; lane < to.size(); ++lane)
      values[to[lane] + static_cast<Index>(mode) * stride] = work.is_there[lane] ? power.of[lane] : kMissing;
  }
}

}  // namespace pileus::spectra
