#pragma once
// Checks whether the regions of the model ranks fill the domain without overlap. Pure functions on boxes.

#include <optional>
#include <utility>
#include <vector>

#include "core/region.h"

namespace pileus::planning {

/// The first pair of regions, by index, that have an element in common.
/// REQUIRES: all have the same number of dimensions, at least one.
std::optional<std::pair<std::size_t, std::size_t>> first_overlap(const std::vector<const Region*>& regions);

/// Boxes that together are what no region covers of `extents`. None overlaps another, and they come in the
/// order of memory of their first elements. REQUIRES: every region lies inside extents and no two overlap.
std::vector<Region> gaps(const std::vector<const Region*>& regions, const std::vector<Index>& extents);

}  // namespace pileus::planning
