#pragma once
// Fields on points: what model ranks hand over of them, and which range of the points each rank's stream gets
// when servers deal them out again.

#include <algorithm>

#include "plan/plan.h"

namespace pileus {

/// Which part of the slowest dimension of points, of `size`, a rank's stream gets.
inline IndexSet::Range dealt_part(Index size, std::size_t rank, std::size_t ranks) {
  const auto cut = [&](std::size_t at) {
    // The product of two large numbers must not overflow.
    const auto n = static_cast<unsigned __int128>(size);
    return static_cast<Index>(n * at / ranks);
  };
  return {cut(rank), cut(rank + 1) - cut(rank)};
}

/// Likewise of the points of a regridding's result.
inline IndexSet::Range dealt_part(const Regridding& how, Index size, std::size_t rank, std::size_t ranks) {
  if (how.is_on_one) return {rank == 0 ? 0 : size, rank == 0 ? size : 0};
  return dealt_part(size, rank, ranks);
}

/// The points that a rank's stream gets, by their numbers.
inline IndexSet::Range dealt_points(const Plan& plan, const PlannedPoints& points, ClientRank client) {
  const DimensionId slowest = points.dimensions.back();
  Index of_one = 1;
  for (const DimensionId id : points.dimensions) of_one *= id == slowest ? 1 : plan[id].size;
  const IndexSet::Range part = dealt_part(plan[slowest].size, client, plan.layout.clients);
  return {part.first * of_one, part.count * of_one};
}

/// An array of a field on points, in which the points are one dimension.
struct PointArray {
  Index before = 1;  ///< elements of the dimensions before the points
  Index behind = 1;  ///< of those behind them
};
inline PointArray point_array(const Plan& plan, const PlannedField& field) {
  const std::vector<DimensionId>& dimensions = plan[field.value].dimensions;
  const std::vector<DimensionId>& points = plan.points[*field.points].dimensions;
  const auto first = std::ranges::find(dimensions, points.front());
  PointArray array;
  for (auto one = dimensions.begin(); one != first; ++one) array.before *= plan[*one].size;
  for (auto one = first + static_cast<std::ptrdiff_t>(points.size()); one != dimensions.end(); ++one)
    array.behind *= plan[*one].size;
  return array;
}

/// The extents of what a model rank hands over of a field.
inline Extents handed_over(const Plan& plan, ClientRank client, FieldId id) {
  const PlannedField& field = plan[id];
  if (!field.points) return plan.regions[client][id.index].count;
  const PointArray array = point_array(plan, field);
  return {array.before, plan.points[*field.points].handed_over[client], array.behind};
}
/// The number of its bytes.
inline std::uint64_t bytes_handed_over(const Plan& plan, ClientRank client, FieldId id) {
  return static_cast<std::uint64_t>(Region{{}, handed_over(plan, client, id)}.size()) *
         size_bytes(plan[id].type);
}

}  // namespace pileus
