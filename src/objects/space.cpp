#include "objects/space.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace pileus::objects {
namespace {

/// Calls `visit` with each combination of indices below `counts`, the first the fastest.
template <class Visit>
void for_each(const std::vector<Index>& counts, Visit visit) {
  if (std::ranges::any_of(counts, [](Index count) { return count < 1; })) return;
  std::vector<Index> at(counts.size(), 0);
  while (true) {
    visit(at);
    std::size_t d = 0;
    while (d < at.size() && ++at[d] == counts[d]) at[d++] = 0;
    if (d == at.size()) return;
  }
}

std::vector<Index> strides_of(const operators::Region& part) {
  std::vector<Index> strides;
  Index stride = 1;
  for (const Index count : part.count) {
    strides.push_back(stride);
    stride *= count;
  }
  return strides;
}

}  // namespace

/// Runs of which some are known to hang together, and how many there are in each row.
class Space::Joining {
 public:
  Joining(const Space& space, const std::vector<Run>& runs)
      : space_(space),
        runs_(runs),
        parents_(runs.size()),
        begins_(static_cast<std::size_t>(space.row_count_) + 1) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      parents_[i] = i;
      ++begins_[runs[i].row + 1];
    }
    for (std::size_t row = 1; row < begins_.size(); ++row) begins_[row] += begins_[row - 1];
  }

  void join_row_with_itself(std::size_t row) {
    const std::size_t first = begins_[row], end = begins_[row + 1];
    const Axis& axis = space_.axes_.front();
    if (axis.is_periodic && first < end && runs_[first].begin == 0 && runs_[end - 1].end == axis.size)
      join(first, end - 1);
  }

  /// Looks at the runs of both rows in turn: the one that ends first is done with first.
  void join_rows(std::size_t row, std::size_t other) {
    const std::size_t a_first = begins_[row], b_first = begins_[other];
    const std::size_t a_end = begins_[row + 1], b_end = begins_[other + 1];
    if (a_first == a_end || b_first == b_end) return;
    for (std::size_t a = a_first, b = b_first; a < a_end && b < b_end;) {
      if (space_.are_beside(runs_[a], runs_[b])) join(a, b);
      runs_[a].end <= runs_[b].end ? ++a : ++b;
    }
    // What wraps around is at the ends.
    if (space_.are_beside(runs_[a_first], runs_[b_end - 1])) join(a_first, b_end - 1);
    if (space_.are_beside(runs_[a_end - 1], runs_[b_first])) join(a_end - 1, b_first);
  }

  /// The first run of the object of a run. REQUIRES: it was called for all runs before.
  std::size_t object(std::size_t run) { return parents_[run] = parents_[parents_[run]]; }

 private:
  std::size_t first_of(std::size_t run) {
    while (parents_[run] != run) {
      parents_[run] = parents_[parents_[run]];
      run = parents_[run];
    }
    return run;
  }
  void join(std::size_t a, std::size_t b) {
    const std::size_t first = first_of(a), other = first_of(b);
    parents_[std::max(first, other)] = std::min(first, other);
  }

  const Space& space_;
  const std::vector<Run>& runs_;
  std::vector<std::size_t> parents_;  ///< none comes after the run itself
  std::vector<std::size_t> begins_;   ///< by row
};

Space::Space(std::vector<Axis> axes, bool has_corners) : axes_(std::move(axes)), reach_(has_corners ? 1 : 0) {
  for (std::size_t d = 0; d < axes_.size(); ++d) {
    row_stride_.push_back(d == 0 ? 0 : row_count_);
    if (d > 0) row_count_ *= std::max<Index>(0, axes_[d].size);
  }
  std::vector<Index> ways(axes_.size(), 3);
  ways.front() = 1;
  for_each(ways, [&](const std::vector<Index>& at) {
    Step step;
    int moves = 0, last = 0;
    for (std::size_t d = 0; d < at.size(); ++d) {
      const int along = d == 0 ? 0 : static_cast<int>(at[d]) - 1;
      step.along.push_back(along);
      moves += std::abs(along);
      if (along != 0) last = along;
    }
    if (last > 0 && (has_corners || moves == 1)) steps_.push_back(std::move(step));
  });
}

std::vector<Index> Space::begins(const operators::Region& part) const {
  const std::vector<Index> strides = strides_of(part);
  std::vector<Index> counts = part.count, begins;
  for (const Axis& axis : axes_) counts[axis.at] = std::min<Index>(counts[axis.at], 1);
  for_each(counts, [&](const std::vector<Index>& at) {
    Index begin = 0;
    for (std::size_t d = 0; d < at.size(); ++d) begin += at[d] * strides[d];
    begins.push_back(begin);
  });
  return begins;
}

std::vector<Index> Space::rows(const operators::Region& part) const {
  const std::vector<Index> strides = strides_of(part);
  std::vector<Index> counts, rows;
  for (std::size_t d = 0; d < axes_.size(); ++d) counts.push_back(d == 0 ? 1 : axes_[d].size);
  for_each(counts, [&](const std::vector<Index>& at) {
    Index row = 0;
    for (std::size_t d = 1; d < at.size(); ++d) row += at[d] * strides[axes_[d].at];
    rows.push_back(row);
  });
  return rows;
}

Index Space::stride(const operators::Region& part) const { return strides_of(part)[axes_.front().at]; }

std::size_t Space::spaces_in(const operators::Region& part) const {
  Index spaces = 1;
  for (std::size_t d = 0; d < part.count.size(); ++d)
    if (std::ranges::find(axes_, d, &Axis::at) == axes_.end()) spaces *= std::max<Index>(0, part.count[d]);
  return part.size() == 0 ? 0 : static_cast<std::size_t>(spaces);
}

/// The row beside the one at `at`, or -1.
Index Space::neighbour(const std::vector<Index>& at, const Step& step) const {
  Index row = 0;
  for (std::size_t d = 1; d < axes_.size(); ++d) {
    Index there = at[d] + step.along[d];
    if (there < 0 || there >= axes_[d].size) {
      if (!axes_[d].is_periodic) return -1;
      there += there < 0 ? axes_[d].size : -axes_[d].size;
    }
    row += there * row_stride_[d];
  }
  return row;
}

/// Of runs in rows that are neighbours.
bool Space::are_beside(const Run& one, const Run& other) const {
  if (one.begin < other.end + reach_ && other.begin < one.end + reach_) return true;
  const Axis& axis = axes_.front();
  if (!axis.is_periodic || reach_ == 0) return false;
  return (one.begin == 0 && other.end == axis.size) || (other.begin == 0 && one.end == axis.size);
}

void Space::join(std::vector<Run>& runs) const {
  Joining joining(*this, runs);
  std::vector<Index> counts;
  for (std::size_t d = 0; d < axes_.size(); ++d) counts.push_back(d == 0 ? 1 : axes_[d].size);
  std::size_t row = 0;
  for_each(counts, [&](const std::vector<Index>& at) {
    for (const Step& step : steps_)
      if (const Index other = neighbour(at, step); other >= 0)
        joining.join_rows(row, static_cast<std::size_t>(other));
    joining.join_row_with_itself(row++);
  });
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Run& first = runs[joining.object(i)];
    runs[i].object = static_cast<Index>(first.row) * axes_.front().size + first.begin;
  }
}

}  // namespace pileus::objects
