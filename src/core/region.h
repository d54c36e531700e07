#pragma once
// A box in the global index space of a field. Its dimensions run fastest first, as in memory and in the
// configuration.

#include <string>
#include <vector>

#include "core/index_set.h"

namespace pileus {

struct Region {
  Extents start;  ///< from 0, fastest dimension first
  Extents count;

  int rank() const { return static_cast<int>(count.size()); }

  /// Number of elements; 1 for a scalar (rank 0).
  Index size() const {
    Index product = 1;
    for (Index n : count) product *= n;
    return product;
  }
  /// What it holds of dimension `d`.
  IndexSet along(std::size_t d) const { return {start[d], count[d]}; }
  /// One more dimension, the slowest.
  void add(const IndexSet& indices) {
    start.push_back(indices.range_.first);
    count.push_back(indices.range_.count);
  }
  friend bool operator==(const Region&, const Region&) = default;
};

/// The elements that both cover; an empty region if they have none in common.
Region common(const Region& a, const Region& b);

/// A contiguous stretch of elements of a region, as it lies in an array of the global extents.
struct Stretch {
  Index global_offset;  ///< in elements, from the first element of the global array
  Index local_offset;   ///< in elements, from the first element of the region's own dense array
  Index length;         ///< in elements
};

/// The fewest contiguous stretches that make up `region` in a dense array of `extents`, by increasing
/// offsets.
/// REQUIRES: region lies inside extents; an empty region has none; a scalar is one stretch of one element.
std::vector<Stretch> contiguous_stretches(const Region& region, const Extents& extents);

/// "[0:64, 12:20]": first and past-the-end index of each dimension, fastest first.
std::string text(const Region& region);

}  // namespace pileus
