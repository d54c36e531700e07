#pragma once
// The sums of a regridding over elements that were brought together.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/regridding.h"
#include "regrid/copy_points.h"

namespace pileus {

/// The links of a range of points, by the places of their sources among those that were brought together.
struct PlacedLinks {
  std::vector<std::uint64_t> begin = {0};
  std::vector<std::uint32_t> place;
  std::vector<double> weight;  ///< empty: no weights
  std::size_t rows() const { return begin.size() - 1; }
};

struct LinkedSums {
  LinkSum sum = LinkSum::weighted;
  LinkMissing missing = LinkMissing::scaled;
  std::optional<double> missing_value = {};  ///< elements equal to it are missing
};

/// Adds up what lies point by point in `sources`, `count` elements of each, in the order of the links and one
/// after the other, so that the bits follow from these alone. `result`: where element l of row i goes, at
/// points[i] + others[l]. What has no value is kMissing.
void add_links(const PlacedLinks& links, const LinkedSums& how, const double* sources, std::size_t count,
               double* to, const PointPlaces& result);

}  // namespace pileus
