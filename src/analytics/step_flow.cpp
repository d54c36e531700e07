#include "analytics/step_flow.h"

#include <algorithm>

namespace pileus {

void StepFlow::settle(ValueId value, Sample sample) {
  values_[value.index] = std::move(sample);
  is_settled_[value.index] = true;
}

void StepFlow::run_rules() {
  // Rules stand in the order of their dependencies, so one pass finds all that have become ready.
  std::erase_if(waiting_, [&](RuleId id) {
    const Rule& rule = plan_[id];
    if (!std::ranges::all_of(rule.inputs, [&](ValueId input) { return is_settled(input); })) return false;
    runner_.run(id, values_);
    is_settled_[rule.output.index] = true;
    return true;
  });
}

}  // namespace pileus
