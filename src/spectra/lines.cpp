#include "spectra/lines.h"

#include <algorithm>

#include "core/missing.h"

namespace pileus::spectra {
namespace {

template <class T>
bool copied(const T* from, Index stride, Index size, std::optional<double> missing, double* to,
            Index to_stride) {
  for (Index i = 0; i < size; ++i) to[i * to_stride] = static_cast<double>(from[i * stride]);
  bool is_missing = false;
  for (Index i = 0; i < size && missing; ++i) is_missing = is_missing || to[i * to_stride] == *missing;
  return !is_missing;
}

/// Elements side by side of all lanes, from `from` on; no lane that has a missing one is there.
void copy_lanes(const double* from, Index stride, std::optional<double> missing, std::span<Lanes> to,
                std::array<bool, kLanes>& is_there) {
  for (Lanes& lanes : to) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes.of[lane] = from[lane];
    from += stride;
  }
  if (!missing) return;
  for (const Lanes& lanes : to)
    for (std::size_t lane = 0; lane < kLanes; ++lane) is_there[lane] &= lanes.of[lane] != *missing;
}

}  // namespace

std::vector<Index> offsets_without(const operators::Region& region, std::span<const std::size_t> axes) {
  std::vector<Index> offsets = {0};
  for (std::size_t d = 0; d < region.count.size(); ++d) {
    if (std::ranges::find(axes, d) != axes.end()) continue;
    const std::vector<Index> before = std::move(offsets);
    offsets.clear();
    for (Index i = 0; i < region.count[d]; ++i)
      for (const Index one : before) offsets.push_back(one + i * stride_of(region, d));
  }
  return offsets;
}

Index stride_of(const operators::Region& region, std::size_t axis) {
  Index stride = 1;
  for (std::size_t d = 0; d < axis; ++d) stride *= region.count[d];
  return stride;
}

bool Elements::copy(Index offset, Index stride, Index size, double* to, Index to_stride) const {
  const auto take = [&]<class T>(const T*) {
    return copied(static_cast<const T*>(part_.first) + offset, stride, size, missing_, to, to_stride);
  };
  using operators::Type;
  switch (part_.type) {
    case Type::float64: return take(static_cast<const double*>(nullptr));
    case Type::float32: return take(static_cast<const float*>(nullptr));
    case Type::int32: return take(static_cast<const std::int32_t*>(nullptr));
    case Type::int64: return take(static_cast<const std::int64_t*>(nullptr));
    case Type::boolean: return take(static_cast<const std::uint8_t*>(nullptr));
  }
  return false;
}

void detrend(Detrend how, std::span<Lanes> lines) {
  if (how == Detrend::none) return;
  const auto size = static_cast<double>(lines.size());
  // Of the same number all along nothing is left, whatever a mean would be rounded to.
  const Lanes first = lines.front();
  Lanes sum = 0;
  for (Lanes& one : lines) {
    one -= first;
    sum += one;
  }
  const Lanes mean = sum * (1 / size);
  for (Lanes& one : lines) one -= mean;
  if (how == Detrend::mean || lines.size() < 2) return;
  // About the middle the places add up to 0, so that mean and slope do not depend on each other.
  const double middle = (size - 1) / 2;
  Lanes rise = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) rise += lines[i] * (static_cast<double>(i) - middle);
  const Lanes slope = rise * (12 / (size * (size * size - 1)));
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i] -= slope * (static_cast<double>(i) - middle);
}

void make_by_line(const Axis& axis, std::span<const Source> sources,
                  const std::vector<operators::Part>& inputs, const operators::ResultPart& result,
                  const MakeLines& make) {
  const std::vector<std::size_t> axes = {axis.at};
  const std::vector<Index> to = offsets_without(result.region, axes);
  const Index to_stride = stride_of(result.region, axis.at);
  std::vector<std::vector<Index>> from;
  for (const Source& one : sources) from.push_back(offsets_without(inputs[one.input].region, one.axes));
  LinesOfSources lines;
  std::vector<Lanes> made(static_cast<std::size_t>(result.region.count[axis.at]));
  for (std::size_t first = 0; first < to.size(); first += kLanes) {
    const std::size_t count = std::min(kLanes, to.size() - first);
    std::array<bool, kLanes> is_there{};
    is_there.fill(true);
    for (std::size_t s = 0; s < sources.size(); ++s) {
      const operators::Part& part = inputs[sources[s].input];
      const Index stride = stride_of(part.region, sources[s].axes.front());
      lines[s].resize(static_cast<std::size_t>(axis.size));
      const Index* const offsets = from[s].data() + first;
      if (part.type == operators::Type::float64 && count == kLanes &&
          offsets[kLanes - 1] - offsets[0] == Index{kLanes - 1}) {
        copy_lanes(static_cast<const double*>(part.first) + offsets[0], stride, sources[s].missing, lines[s],
                   is_there);
        continue;
      }
      for (std::size_t lane = 0; lane < count; ++lane) {
        const bool is_whole =
            Elements(part, sources[s].missing)
                .copy(offsets[lane], stride, axis.size, &lines[s].front().of[lane], Index{kLanes});
        is_there[lane] = is_there[lane] && is_whole;
      }
    }
    make(lines, made);
    for (std::size_t i = 0; i < made.size(); ++i) {
      double* const values = result.as<double>().data() + static_cast<Index>(i) * to_stride;
      for (std::size_t lane = 0; lane < count; ++lane)
        values[to[first + lane]] = is_there[lane] ? made[i].of[lane] : kMissing;
    }
  }
}

}  // namespace pileus::spectra
