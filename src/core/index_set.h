#pragma once
// The part of one dimension that a place holds: its indices in the whole dimension, by increasing index. A
// region has one for each dimension. All are ranges so far; who asks through these questions alone does not
// see that, and goes on to work with sets of another kind.

#include <algorithm>
#include <vector>

#include "core/extents.h"

namespace pileus {

class IndexSet {
 public:
  /// Indices that follow each other.
  struct Range {
    Index first = 0, count = 0;
    Index end() const { return first + count; }
    friend bool operator==(const Range&, const Range&) = default;
  };

  IndexSet() = default;
  /// `count` indices from `first` on. What comes from outside may be negative: such a set is within nothing.
  IndexSet(Index first, Index count) : range_{first, count} {}

  Index size() const { return range_.count; }
  bool is_empty() const { return range_.count <= 0; }
  /// REQUIRES: not empty.
  Index first() const { return range_.first; }
  Index last() const { return range_.first + range_.count - 1; }
  bool contains(Index index) const { return index >= range_.first && index - range_.first < range_.count; }
  /// Whether a dimension of `size` has all of them. An empty set may begin at its end.
  bool is_within(Index size) const {
    return range_.first >= 0 && range_.count >= 0 && range_.first <= size &&
           range_.count <= size - range_.first;
  }
  /// The fewest ranges that make it up, by increasing index; none for an empty set.
  std::vector<Range> runs() const { return is_empty() ? std::vector<Range>() : std::vector{range_}; }

  /// What both have; where they have none in common, an empty set that begins where the later one does.
  friend IndexSet common(const IndexSet& a, const IndexSet& b) {
    const Index first = std::max(a.range_.first, b.range_.first);
    const Index end = std::min(a.range_.first + a.range_.count, b.range_.first + b.range_.count);
    return {first, std::max<Index>(0, end - first)};
  }
  friend bool operator==(const IndexSet&, const IndexSet&) = default;

 private:
  friend struct Region;  // a box, which keeps the ranges of its dimensions as two rows of numbers
  Range range_;
};

}  // namespace pileus
