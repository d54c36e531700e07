#pragma once
// The dimensions in which elements are neighbours, and what hangs together there.

#include <cstdint>
#include <vector>

#include "pileus/operator.hpp"

namespace pileus::objects {

using operators::Index;

/// Some dimensions of a value, fastest first, as they lie in a part that has all of them.
class Space {
 public:
  struct Axis {
    std::size_t at = 0;  ///< its position in the value
    Index size = 0;
    bool is_periodic = false;  ///< its last element is beside its first
  };

  /// `has_corners`: elements that have a corner or an edge in common are neighbours too.
  Space(std::vector<Axis> axes, bool has_corners);

  const std::vector<Axis>& axes() const { return axes_; }
  Index size() const { return size_; }

  /// Where each element lies in a part, from its first one on; the elements of this space in their order.
  std::vector<Index> offsets(const operators::Region& part) const;
  /// Where the spaces of a part begin in it, in the order of the other dimensions.
  std::vector<Index> begins(const operators::Region& part) const;

  /// The first element of the object that each element belongs to; -1 outside of all. What hangs together is
  /// one object, whatever the order in which one looks.
  std::vector<Index> firsts(const std::vector<std::uint8_t>& is_inside) const;

 private:
  struct Step {
    std::vector<int> along;  ///< -1, 0 or 1 by axis
    Index offset = 0;        ///< in elements of this space
  };

  Index neighbour(const std::vector<Index>& at, Index element, const Step& step) const;

  std::vector<Axis> axes_;
  Index size_ = 1;
  std::vector<Index> stride_;  ///< by axis, in elements of this space
  std::vector<Step> steps_;    ///< to one of each two neighbours
};

}  // namespace pileus::objects
