#pragma once
// The points of a set that one rank holds, in the order of its own memory and with holes: which points they
// are, and where each lies in the rank's arrays. Registration makes them; gather.h reads arrays by them. They
// take memory for the points that the rank holds, and none for the others of the domain.

#include <cstdint>
#include <string>
#include <vector>

#include "core/index_ranges.h"

namespace pileus {

/// Elements of a rank's array that follow each other there, and whose points do among those that it holds.
struct LocalRun {
  std::int32_t first = 0;  ///< fastest dimension first, from 0
  std::int32_t count = 0;
  friend bool operator==(const LocalRun&, const LocalRun&) = default;
};

struct HeldPoints {
  Extents counts;       ///< of the rank's own arrays along the points
  Index size = 0;       ///< how many points it holds
  IndexRanges indices;  ///< which ones

  /// Where they lie, by rising index: as runs, or one by one where runs are short. The other one is empty.
  std::vector<LocalRun> runs;
  std::vector<std::int32_t> elements;
};

/// The largest number of elements that a rank's arrays may have along the points.
inline constexpr Index kMostLocalElements = INT32_MAX;

/// `indices`: that of the point for each local element, fastest first; negative where there is none.
/// `domain`: how many points the domain has. `points`: begins the text of an error, "pileus_points: ...".
/// Errors: UsageError for an index beyond the domain, and for one that two elements have; the text names
/// both.
/// REQUIRES: the counts have at least one dimension, are not negative, and make at most kMostLocalElements.
HeldPoints hold_points(const std::string& points, Index domain, const Extents& counts, const Index* indices);

}  // namespace pileus
