#include "spectra/plane_spectra.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/missing.h"
#include "math/exact_sum.h"
#include "spectra/lines.h"
#include "spectra/transform.h"

namespace pileus::spectra {

/// What one thread needs. Modes of rows stand in whole lanes, the rest of the last ones is never looked at.
struct PlaneSpectra::Work {
  Work(const Axis& fast, const Axis& slow, std::size_t sources)
      : nx(static_cast<std::size_t>(fast.size)),
        ny(static_cast<std::size_t>(slow.size)),
        modes(static_cast<std::size_t>(fast.modes())),
        blocks((modes + kLanes - 1) / kLanes),
        column(ny + 1),
        rows(nx),
        columns(ny),
        plane(nx * ny),
        line(nx),
        line_modes(modes),
        transformed(sources),
        column_modes(sources),
        power(modes * ny) {
    for (std::vector<Modes>& one : transformed) one.resize(blocks * column);
    for (std::vector<Modes>& one : column_modes) one.resize(ny);
  }

  std::size_t nx, ny, modes, blocks;
  std::size_t column;  ///< from block to block; no power of 2, of which caches keep few
  Transform rows, columns;
  std::vector<double> plane;  ///< the fast axis first, whatever the order in the value
  std::vector<Lanes> line;
  std::vector<Modes> line_modes;
  std::vector<std::vector<Modes>> transformed;   ///< by source: by block of modes and row
  std::vector<std::vector<Modes>> column_modes;  ///< by source
  std::vector<double> power;                     ///< by mode, sorted by ring
};

PlaneSpectra::PlaneSpectra(std::vector<Axis> axes, Detrend detrend, std::vector<Source> sources)
    : fast_(std::move(axes[0])), slow_(std::move(axes[1])), detrend_(detrend), sources_(std::move(sources)) {
  if (fast_.size < 1 || slow_.size < 1) return;
  const Rings rings = rings_of(fast_, slow_);
  factor_ = density_factor({fast_, slow_}, rings.width);
  ring_begin_.assign(static_cast<std::size_t>(rings.count) + 1, 0);
  for (const Index ring : rings.of_mode) ++ring_begin_[static_cast<std::size_t>(ring) + 1];
  for (std::size_t ring = 1; ring < ring_begin_.size(); ++ring) ring_begin_[ring] += ring_begin_[ring - 1];
  std::vector<Index> next = ring_begin_;
  for (const Index ring : rings.of_mode) place_.push_back(next[static_cast<std::size_t>(ring)]++);
}

std::size_t PlaneSpectra::working_bytes() const {
  if (fast_.size < 1 || slow_.size < 1) return 0;
  const auto nx = static_cast<std::size_t>(fast_.size), ny = static_cast<std::size_t>(slow_.size);
  const auto modes = static_cast<std::size_t>(fast_.modes());
  const std::size_t turned = (modes + kLanes - 1) / kLanes * (ny + 1) + ny;
  return (nx * ny + modes * ny) * sizeof(double) + nx * sizeof(Lanes) +
         (modes + sources_.size() * turned) * sizeof(Modes) + place_.size() * sizeof(Index) +
         Transform::bytes(nx) + Transform::bytes(ny);
}

void PlaneSpectra::compute(const std::vector<operators::Part>& inputs,
                           const operators::ResultPart& result) const {
  const std::vector<std::size_t> axis = {fast_.at};
  const std::vector<Index> to = offsets_without(result.region, axis);
  if (to.empty()) return;
  Work work(fast_, slow_, sources_.size());
  const Index stride = stride_of(result.region, fast_.at);
  std::vector<std::vector<Index>> from;
  for (const Source& source : sources_)
    from.push_back(offsets_without(inputs[source.input].region, source.axes));
  for (std::size_t plane = 0; plane < to.size(); ++plane) {
    bool is_there = true;
    for (std::size_t s = 0; s < sources_.size() && is_there; ++s) {
      is_there = load(sources_[s], inputs[sources_[s].input], from[s][plane], work);
      if (!is_there) break;
      detrend_plane(work);
      transform_rows(s, work);
    }
    if (is_there) add_columns(work);
    write(work, is_there, result.as<double>().data() + to[plane], stride);
  }
}

/// Whether none of its elements is missing.
bool PlaneSpectra::load(const Source& source, const operators::Part& part, Index from, Work& work) const {
  const Elements elements(part, source.missing);
  const Index along = stride_of(part.region, source.axes[0]), across = stride_of(part.region, source.axes[1]);
  bool is_there = true;
  for (Index row = 0; row < slow_.size && is_there; ++row) {
    is_there = elements.copy(from + row * across, along, fast_.size,
                             work.plane.data() + static_cast<std::size_t>(row) * work.nx, 1);
  }
  return is_there;
}

/// Takes off the mean, and the slopes along both axes, which do not depend on each other about the middle.
void PlaneSpectra::detrend_plane(Work& work) const {
  if (detrend_ == Detrend::none) return;
  const auto nx = static_cast<double>(work.nx), ny = static_cast<double>(work.ny);
  const double first = work.plane.front();  // of a plane of one number nothing is left
  double sum = 0;
  for (double& one : work.plane) {
    one -= first;
    sum += one;
  }
  for (double& one : work.plane) one -= sum / (nx * ny);
  if (detrend_ == Detrend::mean) return;
  double rise_x = 0, rise_y = 0;
  const auto about_middle = [&](std::size_t at) {
    return std::array{static_cast<double>(at % work.nx) - (nx - 1) / 2,
                      static_cast<double>(at / work.nx) - (ny - 1) / 2};
  };
  for (std::size_t i = 0; i < work.plane.size(); ++i) {
    const auto [x, y] = about_middle(i);
    rise_x += work.plane[i] * x;
    rise_y += work.plane[i] * y;
  }
  const double slope_x = work.nx < 2 ? 0 : rise_x * 12 / (nx * ny * (nx * nx - 1));
  const double slope_y = work.ny < 2 ? 0 : rise_y * 12 / (nx * ny * (ny * ny - 1));
  for (std::size_t i = 0; i < work.plane.size(); ++i) {
    const auto [x, y] = about_middle(i);
    work.plane[i] -= slope_x * x + slope_y * y;
  }
}

/// Several rows at once, whose modes are then turned so that several columns lie side by side.
void PlaneSpectra::transform_rows(std::size_t number, Work& work) const {
  auto& turned = work.transformed[number];
  for (std::size_t first = 0; first < work.ny; first += kLanes) {
    const std::size_t count = std::min(kLanes, work.ny - first);
    for (std::size_t lane = 0; lane < count; ++lane) {
      const std::size_t row = first + lane;
      const double* const from = work.plane.data() + row * work.nx;
      for (std::size_t i = 0; i < work.nx; ++i) work.line[i].of[lane] = from[i];
      for (std::size_t i = 0; i < work.nx && fast_.has_window; ++i)
        work.line[i].of[lane] *= fast_.weights[i] * slow_.weights[row];
    }
    work.rows.of_real(work.line, work.line_modes);
    for (std::size_t mode = 0; mode < work.modes; ++mode) {
      const Modes& from = work.line_modes[mode];
      for (std::size_t lane = 0; lane < count; ++lane) {
        Modes& to = turned[mode / kLanes * work.column + first + lane];
        to.real.of[mode % kLanes] = from.real.of[lane];
        to.imaginary.of[mode % kLanes] = from.imaginary.of[lane];
      }
    }
  }
}

void PlaneSpectra::add_columns(Work& work) const {
  for (std::size_t block = 0; block < work.blocks; ++block) {
    for (std::size_t s = 0; s < sources_.size(); ++s) {
      const auto column = std::span(work.transformed[s]).subspan(block * work.column, work.ny);
      work.columns.of_complex(column, work.column_modes[s]);
    }
    const auto &a = work.column_modes.front(), &b = work.column_modes[sources_.size() - 1];
    const std::size_t first = block * kLanes, count = std::min(kLanes, work.modes - first);
    for (std::size_t row = 0; row < work.ny; ++row) {
      const Lanes power = common_power(a[row], b[row]);
      for (std::size_t lane = 0; lane < count; ++lane) {
        const auto place = static_cast<std::size_t>(place_[row * work.modes + first + lane]);
        work.power[place] = power.of[lane] * fast_.count(static_cast<Index>(first + lane));
      }
    }
  }
}

void PlaneSpectra::write(Work& work, bool is_there, double* to, Index stride) const {
  for (std::size_t ring = 0; ring + 1 < ring_begin_.size(); ++ring) {
    ExactSum sum;
    const auto begin = static_cast<std::size_t>(ring_begin_[ring]);
    const auto end = static_cast<std::size_t>(ring_begin_[ring + 1]);
    if (is_there) sum.add(std::span<const double>(work.power).subspan(begin, end - begin));
    to[static_cast<Index>(ring) * stride] = is_there ? sum.round() * factor_ : kMissing;
  }
}

}  // namespace pileus::spectra
