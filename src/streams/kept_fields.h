#pragma once
// Which fields a step needs for longer than its analysis, as they are: those that records are made of without
// a reduction on the model rank's server. All others are let go when the step is analysed.

#include <vector>

#include "plan/plan.h"
#include "time/schedule_cursors.h"

namespace pileus {

class KeptFields {
 public:
  explicit KeptFields(const Plan& plan);
  bool keeps(FieldId field, const ScheduleActions& actions) const;

 private:
  struct Uses {
    bool is_kept = false;               ///< in every step
    std::vector<ScheduleId> schedules;  ///< in the steps whose samples these take
    void add(const Uses& others);
  };
  std::vector<Uses> fields_;  ///< by field
};

}  // namespace pileus
