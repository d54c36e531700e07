#include "analytics/step_flow.h"

#include <algorithm>

namespace pileus {

StepFlow::StepFlow(const Plan& plan, RuleRunner& runner, const std::vector<RuleId>& rules, NeedTracker needs)
    : plan_(plan),
      runner_(runner),
      needs_(std::move(needs)),
      values_(plan.values.size()),
      is_settled_(plan.values.size()) {
  std::ranges::copy_if(rules, std::back_inserter(waiting_),
                       [&](RuleId rule) { return is_wanted(plan[rule].output); });
}

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
