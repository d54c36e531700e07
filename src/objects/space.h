#pragma once
// The dimensions in which elements are neighbours, and what hangs together there.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "pileus/operator.hpp"

namespace pileus::objects {

using operators::Index;

/// Elements of one object that lie side by side along the first axis of a space.
struct Run {
  std::size_t row = 0;
  Index begin = 0, end = 0;  ///< in the row
  Index object = -1;         ///< the number of its first element, of all elements of the space
};

/// Some dimensions of a value, fastest first, as they lie in a part that has all of them. A row is along the
/// first of them.
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

  /// Where the spaces of a part begin in it, in the order of the other dimensions.
  std::vector<Index> begins(const operators::Region& part) const;
  /// Where the rows of one of them begin, from its begin on.
  std::vector<Index> rows(const operators::Region& part) const;
  /// From one element of a row to the next.
  Index stride(const operators::Region& part) const;

  /// The most runs that it may have: every second element of each row.
  std::size_t most_runs() const { return row_count() * ((length() + 1) / 2); }
  /// At most so much is taken while the runs of one space are found and joined (runs_in), and by the runs.
  /// `spaces`: in the part.
  std::size_t labelling_bytes(std::size_t spaces) const {
    return most_runs() * (3 * sizeof(Run) + sizeof(std::size_t)) +
           (row_count() + 2 * spaces) * 3 * sizeof(Index) + kFewBytes;
  }
  /// Of a part; 0 where sizes are not known yet.
  std::size_t spaces_in(const operators::Region& part) const;

  /// Finds the object of each run. What hangs together is one object, whatever the order in which one looks.
  /// REQUIRES: all runs of the space, in the order of their elements.
  void join(std::vector<Run>& runs) const;

 private:
  /// From a row to a neighbour of it.
  struct Step {
    std::vector<int> along;  ///< -1, 0 or 1 by axis, 0 for the first
  };
  class Joining;
  static constexpr std::size_t kFewBytes = 1024;  ///< what does not grow with a space

  std::size_t row_count() const { return static_cast<std::size_t>(std::max<Index>(0, row_count_)); }
  std::size_t length() const { return static_cast<std::size_t>(std::max<Index>(0, axes_.front().size)); }

  Index neighbour(const std::vector<Index>& at, const Step& step) const;
  bool are_beside(const Run& one, const Run& other) const;

  std::vector<Axis> axes_;
  Index row_count_ = 1;
  std::vector<Index> row_stride_;  ///< by axis, in rows; 0 for the first
  std::vector<Step> steps_;        ///< to one of each two neighbours
  Index reach_ = 0;                ///< along the first axis, of elements in neighbouring rows
};

}  // namespace pileus::objects
