#pragma once
// Where the points of a regridding's input lie: which points each model rank has, and at which offsets of its
// array they and the elements beside them stand.

#include <vector>

#include "core/index_ranges.h"
#include "plan/plan.h"

namespace pileus {

/// Which box of the points each model rank has, by the dimensions of the points alone. Two ranks may have the
/// same points, of which each has other elements.
using PointBoxes = std::vector<Region>;

/// Of the input of a regridding. Of what is the same on all ranks rank 0's counts.
PointBoxes point_boxes(const Plan& plan, const Rule& rule);
/// Extents of the points of the whole input, fastest first.
Extents point_extents(const Plan& plan, const Rule& rule);

/// Whether no model rank holds some of the input. Nobody computed that, so it is missing.
bool has_holes(const Plan& plan, const Rule& rule);

/// Those of `points`, which are numbered over `extents`, that lie in a box.
IndexRanges points_in(const IndexRanges& points, const Region& box, const Extents& extents);
/// The number of a point within a box. REQUIRES: it lies there.
Index number_within(Index point, const Region& box, const Extents& extents);
/// Whether all points of a range lie in a box, one behind the other.
bool is_run_of(const IndexSet::Range& range, const Region& box, const Extents& extents);

/// How the elements of an array are numbered: by the point, and by the place among those of one point, the
/// fastest dimension first.
class PointOffsets {
 public:
  /// `extents`: of the array. `axes`: which of its dimensions the points are numbered over, rising.
  PointOffsets(const Extents& extents, const std::vector<int>& axes);

  /// Offset of the first element of a point, in elements.
  Index of_point(Index point) const;
  /// Of each element of a point, from that on.
  const std::vector<Index>& of_others() const { return others_; }
  Index points() const { return points_; }

 private:
  Extents extents_, strides_;  ///< of the points' dimensions
  Index points_ = 1;
  Index stride_ = 0;  ///< from each point to the next, if that is the same everywhere; else 0
  std::vector<Index> others_;
};

/// Of what a place has of an array, the places of its elements of one point among all of them. `held`: what
/// it has; `extents`: those of the whole.
std::vector<Index> places_of_others(const Region& held, const Extents& extents, const std::vector<int>& axes);

}  // namespace pileus
