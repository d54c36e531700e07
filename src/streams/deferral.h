#pragma once
// Deferral decides when the values of a tree of reductions must travel. Between two records nobody asks for
// them, so a server sends one message for all steps of a window in place of one for each (architecture D3).
// No rounding changes by that, as the sums are exact and the root takes them step by step.

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

  /// Tells whether the tree's values may wait for a record at all. Values that go on to all servers may not,
  /// as steps of model ranks wait for them.
  bool is_deferred(std::size_t tree) const { return is_deferred_[tree]; }

  /// Tells for each tree whether a record of something made of its values ends with this step, or the state
  /// after it is kept.
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
