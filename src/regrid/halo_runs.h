#pragma once
// Which elements of a box of points another one with its halo has, where dimensions may go on at their ends.

#include <vector>

#include "core/halo.h"

namespace pileus {

/// The same points on both sides, in the same order.
struct HaloRuns {
  Index count = 0;
  std::vector<IndexSet::Range> from, to;  ///< by their numbers in each box, the fastest dimension first
};

/// `halos`: by dimension of the box.
Region wide_box(const Region& box, const std::vector<Halo>& halos, const Extents& sizes);

/// What `wide` has of `box`, each point as often as it is there. `wide` may begin below 0 and end beyond
/// `sizes`, by no more than these.
HaloRuns halo_runs(const Region& box, const Region& wide, const Extents& sizes);

}  // namespace pileus
