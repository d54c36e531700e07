#pragma once
// Copies a model's array on points in one pass: out of the rank's own order, with its holes, into a dense
// array in which the points lie by rising index.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "client/points.h"
#include "client/strided_copy.h"

namespace pileus {

/// Which dimensions of a rank's array are those of its points: bit d stands for dimension d.
using PointDimensions = std::uint32_t;

/// Dimensions of an array, as few as possible, fastest first.
struct Axes {
  struct Axis {
    Index count = 1, stride = 0;  ///< `stride`: bytes
  };
  int rank = 0;
  std::array<Axis, kMaxRank> axes = {};
  Index size = 1;  ///< elements

  /// Adds a dimension, the slowest.
  void add(Index count, Index stride);
};

/// An array on points, and where its elements are.
class Gathering {
 public:
  /// Errors: std::bad_alloc.
  /// REQUIRES: `along` has a bit for each dimension of the points, which have the counts of these; array and
  /// points outlive this object.
  Gathering(const StridedArray& from, const HeldPoints& points, PointDimensions along);
  Gathering(const Gathering&) = delete;
  Gathering& operator=(const Gathering&) = delete;

  /// Fills `to`, a dense array: the dimensions before the first of the points', then all points, then the
  /// others. Values are converted as copy_strided converts them. Allocates nothing.
  /// REQUIRES: can_convert() to that type; `to` has memory for all.
  void copy(ElementType to_type, std::byte* to) const;

 private:
  struct Places;
  template <class From, class To>
  Index copy_level(const std::byte* from, const Places& places, std::byte* to) const;
  template <class From, class To>
  void copy_levels(const Places& all, std::byte* to) const;
  template <class From, class To>
  void copy_columns(std::byte* to) const;
  void take_apart(const StridedArray& from, PointDimensions along);
  void cut_runs();
  bool are_levels_nearer() const;

  const HeldPoints& points_;
  const std::byte* first_;
  ElementType type_;
  Axes before_, behind_;  ///< of the points
  Extents strides_;       ///< bytes, by dimension of the points
  std::vector<LocalRun> short_runs_;
  std::span<const LocalRun> runs_;  ///< of the points, or the short ones
  std::vector<Index> distances_;    ///< bytes to the first element of each run or to each element; none where
                                    ///< all elements of the array lie side by side
};

}  // namespace pileus
