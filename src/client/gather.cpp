#include "client/gather.h"

#include <algorithm>
#include <cstdlib>

#include "client/element_loops.h"

namespace pileus {
namespace {

/// Where an array has its levels nearer than its points, so many elements are read of all levels before the
/// next ones, so that each cache line is used up while it is in the cache.
constexpr std::uint32_t kTileElements = 256;

/// Calls visit(distance in bytes) for each element of the axes from `first` on.
template <class Visit>
void for_each_element(const Axes& axes, int first, Visit visit) {
  std::array<Index, kMaxRank> at = {};
  Index distance = 0;
  for (;;) {
    visit(distance);
    int d = first;
    for (; d < axes.rank; ++d) {
      distance += axes.axes[d].stride;
      if (++at[d] < axes.axes[d].count) break;
      distance -= axes.axes[d].stride * axes.axes[d].count;
      at[d] = 0;
    }
    if (d >= axes.rank) return;
  }
}

/// The bytes from the first element of an array to any other one.
class Distance {
 public:
  Distance(const Extents& counts, const Extents& strides) {
    for (std::size_t d = 0; d < counts.size(); ++d) axes_.add(counts[d], strides[d]);
  }
  /// Whether all elements lie side by side.
  bool is_dense(Index element_bytes) const {
    return axes_.rank == 1 && axes_.axes[0].stride == element_bytes;
  }
  Index operator()(std::uint32_t element) const {
    if (axes_.rank == 0) return 0;
    Index bytes = 0;
    for (int d = 0; d + 1 < axes_.rank; ++d) {
      const auto count = static_cast<std::uint32_t>(axes_.axes[d].count);
      bytes += element % count * axes_.axes[d].stride;
      element /= count;
    }
    return bytes + element * axes_.axes[axes_.rank - 1].stride;
  }

 private:
  Axes axes_;
};

/// What lies before one point in the copy. Returns where the next one goes.
template <class From, class To>
std::byte* copy_column(const Axes& column, const std::byte* from, std::byte* to) {
  const Axes::Axis& first = column.axes[0];
  if (column.rank == 1) {
    copy_row<From, To>(from, first.stride, to, first.count);
    return to + first.count * static_cast<Index>(sizeof(To));
  }
  for_each_element(column, 1, [&](Index distance) {
    copy_row<From, To>(from + distance, first.stride, to, first.count);
    to += first.count * static_cast<Index>(sizeof(To));
  });
  return to;
}

}  // namespace

void Axes::add(Index count, Index stride) {
  size *= count;
  if (count == 1) return;
  if (rank > 0 && stride == axes[rank - 1].stride * axes[rank - 1].count) {
    axes[rank - 1].count *= count;
  } else {
    axes[rank++] = {count, stride};
  }
}

/// Some of the runs or elements, in their order.
struct Gathering::Places {
  std::span<const Index> distances;
  std::span<const LocalRun> runs;           ///< empty: each distance is that of one element
  std::span<const std::uint32_t> elements;  ///< empty: the distances have them

  std::size_t size() const { return std::max(distances.size(), elements.size()); }
  Places part(std::size_t first, std::size_t count) const {
    Places part;
    if (!distances.empty()) part.distances = distances.subspan(first, count);
    if (!runs.empty()) part.runs = runs.subspan(first, count);
    if (!elements.empty()) part.elements = elements.subspan(first, count);
    return part;
  }
};

Gathering::Gathering(const StridedArray& from, const HeldPoints& points, PointDimensions along)
    : points_(points), first_(from.first), type_(from.type), runs_(points.runs) {
  take_apart(from, along);
  if (points_.size * before_.size * behind_.size == 0) return;
  if (are_levels_nearer()) cut_runs();
  const Distance distance(points.counts, strides_);
  const bool are_enough =
      runs_.empty() && before_.rank == 0 && distance.is_dense(static_cast<Index>(size_bytes(type_)));
  if (are_enough) return;
  distances_.reserve(runs_.size() + points.elements.size());
  for (const LocalRun& run : runs_) distances_.push_back(distance(run.first));
  for (const std::uint32_t element : points.elements) distances_.push_back(distance(element));
}

void Gathering::take_apart(const StridedArray& from, PointDimensions along) {
  auto dense = static_cast<Index>(size_bytes(from.type));
  for (std::size_t d = 0; d < from.counts.size(); ++d) {
    const Index stride = from.byte_strides.empty() ? dense : from.byte_strides[d];
    dense *= from.counts[d];
    if ((along >> d & 1) != 0) {
      strides_.push_back(stride);
    } else {
      (strides_.empty() ? before_ : behind_).add(from.counts[d], stride);
    }
  }
}

/// In the array, levels that lie behind the points in the copy.
bool Gathering::are_levels_nearer() const {
  return before_.rank == 0 && behind_.rank > 0 && std::abs(behind_.axes[0].stride) < std::abs(strides_[0]);
}

void Gathering::cut_runs() {
  for (LocalRun run : points_.runs) {
    for (; run.count > kTileElements; run.first += kTileElements, run.count -= kTileElements)
      short_runs_.push_back({run.first, kTileElements});
    short_runs_.push_back(run);
  }
  runs_ = short_runs_;
}

/// One element of each point. Returns how many there were.
template <class From, class To>
Index Gathering::copy_level(const std::byte* from, const Places& places, std::byte* to) const {
  constexpr auto kToSize = static_cast<Index>(sizeof(To));
  const std::byte* const begin = to;
  if (!places.runs.empty()) {
    for (std::size_t i = 0; i < places.runs.size(); ++i) {
      const Index count = places.runs[i].count;
      copy_row<From, To>(from + places.distances[i], strides_[0], to, count);
      to += count * kToSize;
    }
  } else if (!places.distances.empty()) {
    for (const Index distance : places.distances) {
      convert_element<From, To>(from + distance, to);
      to += kToSize;
    }
  } else {
    for (const std::uint32_t element : places.elements) {
      convert_element<From, To>(from + std::size_t{element} * sizeof(From), to);
      to += kToSize;
    }
  }
  return (to - begin) / kToSize;
}

/// Arrays whose points are the first dimension of the copy: level by level, each of which has all points.
template <class From, class To>
void Gathering::copy_levels(const Places& all, std::byte* to) const {
  constexpr auto kToSize = static_cast<Index>(sizeof(To));
  const std::size_t tile = !are_levels_nearer() ? all.size() : all.runs.empty() ? kTileElements : 1;
  for (std::size_t first = 0; first < all.size(); first += tile) {
    const Places some = all.part(first, std::min(tile, all.size() - first));
    std::byte* level = to;
    Index count = 0;
    for_each_element(behind_, 0, [&](Index distance) {
      count = copy_level<From, To>(first_ + distance, some, level);
      level += points_.size * kToSize;
    });
    to += count * kToSize;
  }
}

/// Arrays whose points are not the first dimension of the copy.
template <class From, class To>
void Gathering::copy_columns(std::byte* to) const {
  const Axes::Axis& first = before_.axes[0];
  const bool are_together = before_.rank == 1 && strides_[0] == first.stride * first.count;
  for_each_element(behind_, 0, [&](Index level) {
    for (std::size_t i = 0; i < distances_.size(); ++i) {
      const std::byte* point = first_ + level + distances_[i];
      const Index count = runs_.empty() ? 1 : Index{runs_[i].count};
      if (are_together) {
        copy_row<From, To>(point, first.stride, to, first.count * count);
        to += first.count * count * static_cast<Index>(sizeof(To));
        continue;
      }
      for (Index k = 0; k < count; ++k, point += strides_[0]) to = copy_column<From, To>(before_, point, to);
    }
  });
}

void Gathering::copy(ElementType to_type, std::byte* to) const {
  if (points_.size * before_.size * behind_.size == 0) return;
  const Places all{distances_, runs_, points_.elements};
  with_element_types(type_, to_type, [&]<class From, class To>() {
    if (before_.rank > 0) return copy_columns<From, To>(to);
    copy_levels<From, To>(all, to);
  });
}

}  // namespace pileus
