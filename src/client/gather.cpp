#include "client/gather.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "client/element_loops.h"

namespace pileus {
namespace {

/// Where levels are nearer than points in the array, so many elements are read of all levels before the next
/// ones, so that each cache line is used up while it is in the cache.
constexpr Index kTileElements = 256;
/// Where they are nearer than rows, as in blocks, so many rows, so that few pages are in use at a time.
constexpr std::size_t kTileRows = 16;

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

/// `unit`: bytes from one element to the next; kUnit if that is not 0. The addresses do not overlap: said so
/// in a function of its own, compilers copy several elements at once.
template <class From, class To, Index kUnit>
[[gnu::noinline]] void gather_elements(const std::byte* __restrict from, Index unit,
                                       std::span<const std::int32_t> elements, std::byte* __restrict to) {
  const std::int32_t* __restrict const element = elements.data();
  const Index step = kUnit != 0 ? kUnit : unit;
  for (std::size_t i = 0; i < elements.size(); ++i)
    convert_element<From, To>(from + element[i] * step, to + i * sizeof(To));
}

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

Index Axes::distance(std::int32_t element) const {
  if (rank == 0) return 0;
  Index bytes = 0;
  for (int d = 0; d + 1 < rank; ++d) {
    const auto count = static_cast<std::int32_t>(axes[d].count);
    bytes += element % count * axes[d].stride;
    element /= count;
  }
  return bytes + element * axes[rank - 1].stride;
}

Gathering::Places Gathering::Places::part(std::size_t first, std::size_t count) const {
  if (pieces.empty()) return {{}, elements.subspan(first, count)};
  return {pieces.subspan(first, count), {}};
}

Gathering::Gathering(const StridedArray& from, const HeldPoints& points, PointDimensions along)
    : points_(points), first_(from.first), type_(from.type) {
  take_apart(from, along);
  if (points_.size * before_.size * behind_.size == 0) return;
  if (along_.rank > 0) stride_ = along_.axes[0].stride;
  if (points_.elements.empty()) {
    find_pieces();
  } else {
    find_elements();
  }
}

void Gathering::take_apart(const StridedArray& from, PointDimensions along) {
  auto dense = static_cast<Index>(size_bytes(from.type));
  bool has_points = false;
  for (std::size_t d = 0; d < from.counts.size(); ++d) {
    const Index stride = from.byte_strides.empty() ? dense : from.byte_strides[d];
    dense *= from.counts[d];
    const bool is_along = (along >> d & 1) != 0;
    has_points = has_points || is_along;
    (is_along ? along_ : has_points ? behind_ : before_).add(from.counts[d], stride);
  }
}

/// In the array, levels that lie behind the points in the copy.
bool Gathering::are_levels_nearer_than(const Axes::Axis& axis) const {
  return before_.rank == 0 && behind_.rank > 0 && std::abs(behind_.axes[0].stride) < std::abs(axis.stride);
}

/// The runs, cut where a row ends, and where they are longer than a tile.
void Gathering::find_pieces() {
  const bool has_rows = along_.rank > 1;
  Index row = has_rows ? along_.axes[0].count : kMostLocalElements, longest = kMostLocalElements;
  tile_ = std::numeric_limits<std::size_t>::max();
  if (along_.rank > 0 && are_levels_nearer_than(along_.axes[0])) {
    longest = kTileElements;
    tile_ = 1;
  } else if (has_rows && are_levels_nearer_than(along_.axes[1])) {
    tile_ = kTileRows;
  }
  for (const LocalRun& run : points_.runs) {
    for (std::int32_t done = 0; done < run.count;) {
      const std::int32_t first = run.first + done;
      const Index count = std::min({Index{run.count} - done, row - first % row, longest});
      pieces_.push_back({along_.distance(first), count});
      done += static_cast<std::int32_t>(count);
    }
  }
  places_.pieces = pieces_;
}

/// The elements with numbers that are even distances apart; those of the points are, if these have one
/// dimension or lie as if they had. Otherwise they count in elements of the array; where that is not possible
/// each is a piece.
void Gathering::find_elements() {
  const auto size = static_cast<Index>(size_bytes(type_));
  tile_ = std::numeric_limits<std::size_t>::max();
  if (along_.rank > 0 && are_levels_nearer_than(along_.axes[0])) tile_ = kTileElements;
  if (along_.rank <= 1) {
    unit_ = stride_;
    places_.elements = points_.elements;
    return;
  }
  bool is_possible = true;
  Index left = std::numeric_limits<std::int32_t>::max();
  for (int d = 0; d < along_.rank; ++d) {
    const Axes::Axis& axis = along_.axes[d];
    is_possible = is_possible && axis.stride % size == 0 && std::abs(axis.stride) / size <= left / axis.count;
    if (is_possible) left -= std::abs(axis.stride) / size * axis.count;
  }
  (is_possible ? elements_.reserve(points_.elements.size()) : pieces_.reserve(points_.elements.size()));
  for (const std::int32_t element : points_.elements) {
    const Index distance = along_.distance(element);
    if (is_possible) {
      elements_.push_back(static_cast<std::int32_t>(distance / size));
    } else {
      pieces_.push_back({distance, 1});
    }
  }
  unit_ = size;
  places_ = {pieces_, elements_};
}

/// One element of each place. Returns where the next ones go.
template <class From, class To>
std::byte* Gathering::copy_level(const std::byte* from, const Places& places, std::byte* to) const {
  for (const Piece& piece : places.pieces) {
    copy_row<From, To>(from + piece.first, stride_, to, piece.count);
    to += piece.count * static_cast<Index>(sizeof(To));
  }
  constexpr auto kSize = static_cast<Index>(sizeof(From));
  if (unit_ == kSize) {
    gather_elements<From, To, kSize>(from, unit_, places.elements, to);
  } else {
    gather_elements<From, To, 0>(from, unit_, places.elements, to);
  }
  return to + places.elements.size() * sizeof(To);
}

/// Arrays whose points are the first dimension of the copy: level by level, each of which has all points.
template <class From, class To>
void Gathering::copy_levels(std::byte* to) const {
  for (std::size_t first = 0; first < places_.size(); first += std::min(tile_, places_.size() - first)) {
    const Places some = places_.part(first, std::min(tile_, places_.size() - first));
    std::byte* level = to;
    std::byte* end = nullptr;
    for_each_element(behind_, 0, [&](Index distance) {
      std::byte* const end_of_level = copy_level<From, To>(first_ + distance, some, level);
      if (end == nullptr) end = end_of_level;
      level += points_.size * static_cast<Index>(sizeof(To));
    });
    to = end;
  }
}

/// Arrays whose points are not the first dimension of the copy.
template <class From, class To>
void Gathering::copy_columns(std::byte* to) const {
  const Axes::Axis& first = before_.axes[0];
  const bool are_together = before_.rank == 1 && stride_ == first.stride * first.count;
  for_each_element(behind_, 0, [&](Index distance) {
    const std::byte* const level = first_ + distance;
    for (const Piece& piece : places_.pieces) {
      if (are_together) {
        copy_row<From, To>(level + piece.first, first.stride, to, first.count * piece.count);
        to += first.count * piece.count * static_cast<Index>(sizeof(To));
        continue;
      }
      for (Index i = 0; i < piece.count; ++i)
        to = copy_column<From, To>(before_, level + piece.first + i * stride_, to);
    }
    for (const std::int32_t element : places_.elements)
      to = copy_column<From, To>(before_, level + element * unit_, to);
  });
}

void Gathering::copy(ElementType to_type, std::byte* to) const {
  if (points_.size * before_.size * behind_.size == 0) return;
  with_element_types(type_, to_type, [&]<class From, class To>() {
    if (before_.rank > 0) return copy_columns<From, To>(to);
    copy_levels<From, To>(to);
  });
}

}  // namespace pileus
