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
  int rank = 0;  ///< 0: one element
  std::array<Axis, kMaxRank> axes = {};
  Index size = 1;  ///< elements

  /// Adds a dimension, the slowest.
  void add(Index count, Index stride);
  /// The bytes from the first element to another one, by its number. REQUIRES: kMostLocalElements at most.
  Index distance(std::int32_t element) const;
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
  /// Elements at even distances.
  struct Piece {
    Index first = 0;  ///< bytes from the first element of the array
    Index count = 0;
  };
  /// Some of the points, by rising index: pieces, or elements one by one. The other list is empty.
  struct Places {
    std::span<const Piece> pieces;
    std::span<const std::int32_t> elements;
    std::size_t size() const { return pieces.empty() ? elements.size() : pieces.size(); }
    Places part(std::size_t first, std::size_t count) const;
  };

  void take_apart(const StridedArray& from, PointDimensions along);
  void find_pieces();
  void find_elements();
  bool are_levels_nearer_than(const Axes::Axis& axis) const;
  template <class From, class To>
  std::byte* copy_level(const std::byte* from, const Places& places, std::byte* to) const;
  template <class From, class To>
  void copy_levels(std::byte* to) const;
  template <class From, class To>
  void copy_columns(std::byte* to) const;

  const HeldPoints& points_;
  const std::byte* first_;
  ElementType type_;
  Axes along_, before_, behind_;  ///< dimensions of the points, and those before and behind them in the copy
  Index stride_ = 0;              ///< bytes between elements of a piece
  Index unit_ = 0;                ///< bytes that one element is further than the one with the number before
  std::size_t tile_ = 0;          ///< so many places are copied of all levels before the next ones
  Places places_;                 ///< all
  std::vector<Piece> pieces_;
  std::vector<std::int32_t> elements_;  ///< of points_, numbered in another way
};

}  // namespace pileus
