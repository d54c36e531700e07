#pragma once
// What lies beside a part of a dimension and is needed with it: so many elements before it and behind it.

#include <algorithm>

#include "core/region.h"
#include "pileus/operator.hpp"

namespace pileus {

using operators::Halo;

/// A part with its halo. At a border the halo ends, or goes on from the other end: it then begins below 0 or
/// ends beyond the size. What holds nothing has no halo.
inline IndexSet::Range with_halo(const IndexSet::Range& held, const Halo& halo, Index size) {
  if (held.count == 0) return held;
  Index first = held.first - halo.before, end = held.end() + halo.after;
  if (!halo.is_periodic) {
    first = std::max<Index>(first, 0);
    end = std::min(end, size);
  }
  return {first, end - first};
}

/// `halos`: by axis, which are positions of the region's dimensions; `sizes`: by dimension.
inline Region with_halo(Region held, const std::vector<int>& axes, const std::vector<Halo>& halos,
                        const Extents& sizes) {
  for (std::size_t a = 0; a < axes.size() && held.size() > 0; ++a) {
    const auto d = static_cast<std::size_t>(axes[a]);
    const IndexSet::Range wide = with_halo({held.start[d], held.count[d]}, halos[a], sizes[d]);
    held.start[d] = wide.first;
    held.count[d] = wide.count;
  }
  return held;
}

}  // namespace pileus
