#pragma once
// When what a tree of reductions has for its steps must travel. Between two records nobody asks for it, so
// that a server sends one message for all steps of a window in place of one for each (architecture D3). What
// is rounded when stays the same: the sums are exact, and the root takes them step by step.

#include <cstddef>
#include <vector>

#include "plan/plan.h"
#include "time/schedule_cursors.h"

namespace pileus {

/// A batch of deferred values that has grown so large leaves whatever waits for it.
inline constexpr std::size_t kLargestBatchBytes = std::size_t{1} << 20;

class Deferral {
 public:
  /// REQUIRES: the plan outlives it.
  explicit Deferral(const Plan& plan);

  /// Whether the tree's values may wait for a record at all: those that go on to all servers may not, as
  /// steps of model ranks wait for them.
  bool is_deferred(std::size_t tree) const { return is_deferred_[tree]; }

  /// By tree: a record of something made of its values ends with this step, or the state after it is kept.
  const std::vector<bool>& due(const Step& step, const ScheduleActions& actions);

 private:
  struct Axis {
    ScheduleId schedule;
    std::vector<std::size_t> trees;  ///< deferred, and behind a variable of the schedule
  };

  const Plan& plan_;
  std::vector<bool> is_deferred_;  ///< by tree
  std::vector<Axis> axes_;
  std::vector<bool> is_due_;  ///< by tree
};

}  // namespace pileus
