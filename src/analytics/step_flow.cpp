#include "analytics/step_flow.h"

#include <algorithm>

namespace pileus {

StepFlow::StepFlow(const Plan& plan, RuleRunner& runner, const StepKind& kind,
                   const std::vector<RuleId>& rules, LocalSweeps* sweeps)
    : plan_(plan),
      runner_(runner),
      sweeps_(sweeps),
      kind_(kind),
      values_(plan.values.size()),
      is_settled_(plan.values.size()) {
  waiting_.reserve(rules.size());
  for (const RuleId rule : rules) wait_for(rule);
}

void StepFlow::wait_for(RuleId rule) {
  if (sweeps_ != nullptr && sweeps_->is_within_sweeps(rule)) return;
  const auto sweep = sweeps_ != nullptr ? sweeps_->sweep_of(rule) : std::nullopt;
  (sweep ? swept_waiting_[*sweep] : waiting_).push_back(rule);
}

void StepFlow::settle(ValueId value, Sample sample) {
  values_[value.index] = std::move(sample);
  is_settled_[value.index] = true;
}

/// They are made of fields alone, and never wait for each other or for a rule.
void StepFlow::run_sweeps() {
  std::erase_if(swept_waiting_, [&](const auto& waiting) {
    const auto& [sweep, rules] = waiting;
    if (!sweeps_->is_ready(sweep, rules, [&](ValueId value) { return is_settled(value); })) return false;
    sweeps_->run(sweep, rules, values_);
    for (const RuleId rule : rules) is_settled_[plan_[rule].output.index] = true;
    return true;
  });
}

void StepFlow::run_rules() {
  run_sweeps();
  CostOfRuns costs;
  // Rules stand in the order of their dependencies, so one pass finds all that have become ready.
  std::erase_if(waiting_, [&](RuleId id) {
    const Rule& rule = plan_[id];
    if (!std::ranges::all_of(rule.inputs, [&](ValueId input) { return is_settled(input); })) return false;
    runner_.run(id, values_, costs);
    is_settled_[rule.output.index] = true;
    return true;
  });
}

}  // namespace pileus
