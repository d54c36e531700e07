#pragma once
// The one pass of a reduction over the elements of an array, of whatever rank holds it: localreduce on a
// server, and sums that a model rank hands over in place of a field.

#include <cstddef>
#include <optional>
#include <span>

#include "core/element_type.h"
#include "math/partial.h"
#include "math/reduced_axes.h"

namespace pileus {

/// Adds each element of an array to the Partial that `axes` say: the axis of an index adds result_stride to
/// its place. `first`: the element whose indices are all 0. Elements equal to `missing` are left out.
/// REQUIRES: axes are merged(), and the first of them has the stride 1; `missing` as the type stores it.
void add_array(std::span<Partial> partials, ElementType type, const std::byte* first,
               std::span<const ReducedAxis> axes, std::optional<double> missing);
void add_array(std::span<Partial> partials, const double* values, std::span<const ReducedAxis> axes,
               std::optional<double> missing);

}  // namespace pileus
