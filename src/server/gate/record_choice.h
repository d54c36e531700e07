#pragma once
// Which records of a step are left out while servers have no memory: those of files that say so, and of these
// every one, or every second one. Whole records, before anything is made of the step.

#include <cstdint>
#include <vector>

#include "core/step.h"
#include "dropped/dropped_axes.h"
#include "plan/plan.h"

namespace pileus {

class RecordChoice {
 public:
  explicit RecordChoice(const Plan& plan);

  /// The axes that get no record of the step, which meets these needs. The last step of a run is written:
  /// nothing comes after it for which memory lacks.
  DroppedAxes dropped(const Step& step, const std::vector<bool>& is_met, bool is_full) const;
  /// The step was let through so.
  void pass(const std::vector<bool>& is_met, const DroppedAxes& dropped, bool is_full);

 private:
  struct Axis {
    ScheduleId schedule;
    std::size_t need = 0;
    bool is_thinned = false;        ///< else all are left out
    bool has_dropped_last = false;  ///< its last record, for want of memory
  };
  std::vector<Axis> axes_;
};

}  // namespace pileus
