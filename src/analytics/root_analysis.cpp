#include "analytics/root_analysis.h"

#include <algorithm>

namespace pileus {

RootAnalysis::RootAnalysis(const Plan& plan, ServerRank self, StepDone step_done, Failed failed,
                           Distribute distribute)
    : plan_(plan),
      step_done_(std::move(step_done)),
      distribute_(std::move(distribute)),
      runner_(plan, whole_regions(plan), std::move(failed)) {
  for (std::size_t t = 0; t < plan.trees.size(); ++t) {
    if (plan.trees[t].root == self) trees_.push_back(t);
  }
  for (std::size_t d = 0; d < plan.distributions.size(); ++d) {
    if (plan.distributions[d].root == self) distributions_.push_back(d);
  }
  for (std::size_t r = 0; r < plan.rules.size(); ++r) {
    const Rule& rule = plan.rules[r];
    const Value& output = plan[rule.output];
    const bool is_here = output.spread == Spread::rooted && output.root == self;
    if (is_here && !std::holds_alternative<Communicate>(rule.action)) rooted_rules_.emplace_back(r);
  }
  runner_.bind(rooted_rules_);
}

bool RootAnalysis::is_tree_wanted(std::size_t tree, const StepFlow& flow) const {
  return std::ranges::any_of(plan_.trees[tree].communications, [&](RuleId communication) {
    return flow.is_wanted(plan_[communication].output);
  });
}

void RootAnalysis::advance(const Step& step, double start_time_s, std::shared_ptr<const void> kept) {
  clock_step_ = step.index;
  if (trees_.empty()) return;
  if (!tracker_) tracker_.emplace(plan_.tracker(start_time_s));
  tracker_->advance(step);
  OpenStep open{step, start_time_s, StepFlow(plan_, runner_, rooted_rules_, *tracker_)};
  open.trees_missing = static_cast<std::size_t>(
      std::ranges::count_if(trees_, [&](std::size_t tree) { return is_tree_wanted(tree, open.flow); }));
  if (open.trees_missing == 0) return;
  for (std::size_t distribution : distributions_) {
    const auto& broadcasts = plan_.distributions[distribution].broadcasts;
    if (std::ranges::any_of(broadcasts, [&](RuleId id) { return open.flow.is_wanted(plan_[id].output); })) {
      open.distributions_missing.push_back(distribution);
    }
  }
  open.kept = std::move(kept);
  steps_.push_back(std::move(open));
  if (const auto early = early_.extract(step.index)) {
    for (const auto& [tree, values] : early.mapped()) settle(steps_.back(), tree, *values);
    go_on(steps_.back());
  }
  close_complete_steps();
}

void RootAnalysis::complete(std::size_t tree, std::int64_t step, std::unique_ptr<TreeValues> values) {
  if (step > clock_step_) {
    early_[step][tree] = std::move(values);
    return;
  }
  const auto open = std::ranges::find(steps_, step, [](const OpenStep& s) { return s.step.index; });
  if (open == steps_.end()) return;
  settle(*open, tree, *values);
  go_on(*open);
  close_complete_steps();
}

void RootAnalysis::settle(OpenStep& step, std::size_t tree, TreeValues& reduced) {
  --step.trees_missing;
  const std::vector<RuleId>& communications = plan_.trees[tree].communications;
  std::vector<Sample> values = reduced.take_values();
  for (std::size_t i = 0; i < communications.size(); ++i) {
    const ValueId output = plan_[communications[i]].output;
    if (step.flow.is_wanted(output)) step.flow.settle(output, std::move(values[i]));
  }
}

void RootAnalysis::go_on(OpenStep& step) {
  step.flow.run_rules();
  std::erase_if(step.distributions_missing,
                [&](std::size_t distribution) { return distribute_if_settled(step, distribution); });
}

bool RootAnalysis::distribute_if_settled(const OpenStep& step, std::size_t distribution) const {
  BroadcastValues values;
  for (RuleId id : plan_.distributions[distribution].broadcasts) {
    const Rule& broadcast = plan_[id];
    if (!step.flow.is_wanted(broadcast.output)) continue;
    if (!step.flow.is_settled(broadcast.inputs[0])) return false;
    values.emplace_back(broadcast.output, step.flow.values()[broadcast.inputs[0].index]);
  }
  distribute_(distribution, step.step.index, values);
  return true;
}

void RootAnalysis::close_complete_steps() {
  while (!steps_.empty() && steps_.front().trees_missing == 0) {
    const std::shared_ptr<const void> kept = std::move(steps_.front().kept);  // goes after the step's values
    const OpenStep step = std::move(steps_.front());
    steps_.pop_front();
    step_done_(step.step, step.start_time_s, step.flow.values(), kept);
    cuts_.reach(first_open());
  }
}

std::optional<std::int64_t> RootAnalysis::first_open() const {
  return steps_.empty() ? std::nullopt : std::optional(steps_.front().step.index);
}

void RootAnalysis::cut(std::function<void()> at_cut) {
  cuts_.add(clock_step_, std::move(at_cut));
  cuts_.reach(first_open());
}

}  // namespace pileus
