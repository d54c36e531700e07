#include "analytics/root_analysis.h"

#include <algorithm>

namespace pileus {

RootAnalysis::RootAnalysis(const Plan& plan, ServerRank self, StepDone step_done, Failed failed)
    : plan_(plan), step_done_(std::move(step_done)), runner_(plan, whole_regions(plan), std::move(failed)) {
  for (std::size_t t = 0; t < plan.trees.size(); ++t) {
    if (plan.trees[t].root == self) trees_.push_back(t);
  }
  for (std::size_t r = 0; r < plan.rules.size(); ++r) {
    const Rule& rule = plan.rules[r];
    const Value& output = plan[rule.output];
    const bool is_here = output.spread == Spread::rooted && output.root == self;
    if (is_here && !std::holds_alternative<Communicate>(rule.action)) rooted_rules_.push_back(RuleId(r));
  }
}

bool RootAnalysis::is_tree_wanted(std::size_t tree, const NeedTracker& needs) const {
  return std::ranges::any_of(plan_.trees[tree].communications, [&](RuleId communication) {
    return needs.is_any_met(plan_[plan_[communication].output].needs);
  });
}

void RootAnalysis::advance(const Step& step, double start_time_s) {
  if (trees_.empty()) return;
  if (!tracker_) tracker_.emplace(plan_.needs, start_time_s);
  tracker_->advance(step);
  OpenStep open{step, start_time_s, *tracker_, 0};
  const auto wanted =
      std::ranges::count_if(trees_, [&](std::size_t tree) { return is_tree_wanted(tree, *tracker_); });
  if (wanted == 0) return;
  const auto arrived = arrived_.find(step.index);
  open.trees_missing =
      static_cast<std::size_t>(wanted) - (arrived == arrived_.end() ? 0 : arrived->second.size());
  steps_.push_back(std::move(open));
  run_complete_steps();
}

void RootAnalysis::complete(std::size_t tree, std::int64_t step, std::unique_ptr<TreeValues> values) {
  arrived_[step][tree] = std::move(values);
  const auto open = std::ranges::find(steps_, step, [](const OpenStep& s) { return s.step.index; });
  if (open == steps_.end()) return;  // the clock has not come so far
  --open->trees_missing;
  run_complete_steps();
}

void RootAnalysis::run_complete_steps() {
  while (!steps_.empty() && steps_.front().trees_missing == 0) {
    const OpenStep step = std::move(steps_.front());
    steps_.pop_front();
    run(step);
    arrived_.erase(step.step.index);
  }
}

void RootAnalysis::run(const OpenStep& step) {
  StepValues values(plan_.values.size());
  for (const auto& [tree, reduced] : arrived_[step.step.index]) {
    const std::vector<RuleId>& communications = plan_.trees[tree].communications;
    for (std::size_t i = 0; i < communications.size(); ++i) {
      const Rule& rule = plan_[communications[i]];
      if (step.needs.is_any_met(plan_[rule.output].needs)) values[rule.output.index] = reduced->value(i);
    }
  }
  for (RuleId rule : rooted_rules_) {
    if (step.needs.is_any_met(plan_[plan_[rule].output].needs)) runner_.run(rule, values);
  }
  step_done_(step.step, step.start_time_s, values);
}

}  // namespace pileus
