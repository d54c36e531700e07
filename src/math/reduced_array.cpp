#include "math/reduced_array.h"

#include <cstdint>
#include <vector>

namespace pileus {
namespace {

/// Calls visit(place in the part, place in the result) for every position along the axes.
template <class Visit>
void for_each_position(std::span<const ReducedAxis> axes, const Visit& visit, Index place = 0,
                       Index target = 0) {
  if (axes.empty()) return visit(place, target);
  const ReducedAxis& axis = axes.back();
  for (Index i = 0; i < axis.extent; ++i) {
    for_each_position(axes.first(axes.size() - 1), visit, place + i * axis.stride,
                      target + i * axis.result_stride);
  }
}

template <class T>
void add_row(Partial& partial, std::span<const T> row, std::optional<double> missing) {
  missing ? partial.add_present(row, *missing) : partial.add(row);
}

/// Rows whose elements all go to one Partial. Short ones of one Partial are laid end to end first.
template <class T>
void add_rows(std::span<Partial> partials, const T* values, const ReducedAxis& row,
              std::span<const ReducedAxis> outer, std::optional<double> missing) {
  constexpr Index kShort = 512;
  std::vector<ReducedAxis> kept, reduced;
  for (const ReducedAxis& axis : outer) (axis.is_reduced() ? reduced : kept).push_back(axis);
  const auto length = static_cast<std::size_t>(row.extent);
  std::vector<T> gathered;
  for_each_position(kept, [&](Index of_target, Index target) {
    Partial& partial = partials[static_cast<std::size_t>(target)];
    for_each_position(reduced, [&](Index place, Index) {
      const std::span<const T> elements(values + of_target + place, length);
      if (reduced.empty() || row.extent >= kShort) return add_row(partial, elements, missing);
      gathered.insert(gathered.end(), elements.begin(), elements.end());
      if (static_cast<Index>(gathered.size()) < kShort) return;
      add_row(partial, std::span<const T>(gathered), missing);
      gathered.clear();
    });
    add_row(partial, std::span<const T>(gathered), missing);
    gathered.clear();
  });
}

template <class T>
void add_part(std::span<Partial> partials, const T* values, std::span<const ReducedAxis> axes,
              std::optional<double> missing) {
  if (axes.empty() || axes[0].is_reduced()) {
    const ReducedAxis one{1, 1, 0};
    const ReducedAxis& row = axes.empty() ? one : axes[0];
    return add_rows(partials, values, row, axes.empty() ? axes : axes.subspan(1), missing);
  }
  const bool has_rows = axes.size() > 1 && axes[1].is_reduced();
  const ReducedAxis rows = has_rows ? axes[1] : ReducedAxis{1, 0, 0};
  // Side by side in the part, and in the result too unless it has more of a dimension of which this is one.
  const Index together = axes[0].result_stride == 1 ? axes[0].extent : 1;
  for_each_position(axes.subspan(has_rows ? 2 : 1), [&](Index place, Index target) {
    for (Index column = 0; column < axes[0].extent; column += together) {
      const auto first = static_cast<std::size_t>(target + column * axes[0].result_stride);
      Partial::add_columns(partials.subspan(first, static_cast<std::size_t>(together)),
                           values + place + column, static_cast<std::size_t>(rows.extent), rows.stride,
                           missing);
    }
  });
}

template <class T>
void add_bytes(std::span<Partial> partials, const std::byte* first, std::span<const ReducedAxis> axes,
               std::optional<double> missing) {
  add_part(partials, reinterpret_cast<const T*>(first), axes, missing);
}

}  // namespace

void add_array(std::span<Partial> partials, const double* values, std::span<const ReducedAxis> axes,
               std::optional<double> missing) {
  add_part(partials, values, axes, missing);
}

void add_array(std::span<Partial> partials, ElementType type, const std::byte* first,
               std::span<const ReducedAxis> axes, std::optional<double> missing) {
  switch (type) {
    case ElementType::float64: return add_bytes<double>(partials, first, axes, missing);
    case ElementType::float32: return add_bytes<float>(partials, first, axes, missing);
    case ElementType::int32: return add_bytes<std::int32_t>(partials, first, axes, missing);
    case ElementType::int64: return add_bytes<std::int64_t>(partials, first, axes, missing);
    case ElementType::boolean: return add_bytes<std::int8_t>(partials, first, axes, missing);
    case ElementType::character: return;  // the Plan has no reductions of texts
  }
}

}  // namespace pileus
