#include "analytics/root_analysis.h"

#include <algorithm>
#include <utility>

namespace pileus {

RootAnalysis::RootAnalysis(const Plan& plan, StepDone step_done, Failed failed, Distribute distribute)
    : plan_(plan),
      step_done_(std::move(step_done)),
      distribute_(std::move(distribute)),
      runner_(plan, whole_regions(plan), std::move(failed)) {}

namespace {

std::function<bool(ValueId)> rooted_on(const Plan& plan, ServerRank self) {
  return
      [&plan, self](ValueId made) { return plan[made].spread == Spread::rooted && plan[made].root == self; };
}

}  // namespace

void RootAnalysis::restore(const StateEntries& continued, ServerRank self) {
  runner_.followed().restore(continued, rooted_on(plan_, self));
}

std::vector<StateEntry> RootAnalysis::kept(ServerRank self) const {
  return runner_.followed().state(rooted_on(plan_, self));
}

void RootAnalysis::advance(SharedFacts facts, std::shared_ptr<const void> kept) {
  const StepKind& kind = *facts->kind;
  clock_step_ = facts->step.index;
  const auto early = early_.extract(clock_step_);
  early_.erase(early_.begin(), early_.upper_bound(clock_step_));  // of steps that are none of the clock's
  if (kind.root_trees.empty()) return;
  steps_.push_back(
      OpenStep{std::move(facts), {}, kind.root_trees.size(), kind.distributions, std::move(kept)});
  const auto follows = [this](RuleId rule) { return runner_.followed().has(rule); };
  if (std::ranges::any_of(kind.root_rules, follows)) flow_of(steps_.back());  // in the order of steps
  if (early) {
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
  const auto open = std::ranges::find(steps_, step, [](const OpenStep& s) { return s.facts->step.index; });
  if (open == steps_.end()) return;
  settle(*open, tree, *values);
  go_on(*open);
  close_complete_steps();
}

StepFlow& RootAnalysis::flow_of(OpenStep& step) {
  if (!step.flow) {
    const StepKind& kind = *step.facts->kind;
    step.flow.emplace(plan_, runner_, kind, kind.root_rules, nullptr, spare_.take());
    step.flow->settle_clock(step.facts->step);
  }
  return *step.flow;
}

void RootAnalysis::settle(OpenStep& step, std::size_t tree, TreeValues& reduced) {
  --step.trees_missing;
  StepFlow& flow = flow_of(step);
  const std::vector<RuleId>& communications = plan_.trees[tree].communications;
  TreeValues::Taken taken = reduced.take();
  const std::vector<std::size_t>& bundles = plan_.trees[tree].bundles;
  std::size_t alone = 0;
  for (std::size_t b = 0; b < bundles.size(); ++b) {
    step.bundles[bundles[b]] = std::move(taken.bundles[b]);
    alone += plan_.bundles[bundles[b]].members.size();
  }
  for (std::size_t i = alone; i < communications.size(); ++i) {
    const ValueId output = plan_[communications[i]].output;
    if (flow.is_wanted(output)) flow.settle(output, std::move(taken.values[i]));
  }
}

/// Later steps may have waited for it: one after the other, as thousands may.
void RootAnalysis::go_on(OpenStep& step) {
  if (!move_on(step)) return;
  const std::int64_t index = step.facts->step.index;
  for (OpenStep& later : steps_) {
    const bool has_waited = later.flow && later.flow->follows();
    if (later.facts->step.index > index && has_waited && !move_on(later)) return;
  }
}

/// True if later steps may have waited for it.
bool RootAnalysis::move_on(OpenStep& step) {
  const bool has_followed = flow_of(step).run_rules();
  std::erase_if(step.distributions_missing,
                [&](std::size_t distribution) { return distribute_if_settled(step, distribution); });
  return has_followed;
}

bool RootAnalysis::distribute_if_settled(const OpenStep& step, std::size_t distribution) const {
  BroadcastValues values;
  for (RuleId id : plan_.distributions[distribution].broadcasts) {
    const Rule& broadcast = plan_[id];
    if (!step.flow->is_wanted(broadcast.output)) continue;
    if (!step.flow->is_settled(broadcast.inputs[0])) return false;
    values.emplace_back(broadcast.output, step.flow->values()[broadcast.inputs[0].index]);
  }
  distribute_(distribution, step.facts->step.index, values);
  return true;
}

void RootAnalysis::close_complete_steps() {
  while (!steps_.empty() && steps_.front().trees_missing == 0) {
    const std::shared_ptr<const void> kept = std::move(steps_.front().kept);  // goes after the step's values
    OpenStep step = std::move(steps_.front());
    steps_.pop_front();
    runner_.followed().close(step.facts->step.index);
    step_done_(*step.facts, step.flow->values(), step.bundles, kept);
    spare_.give_back(std::move(*step.flow).give_up());
    cuts_.reach(first_open());
  }
}

std::optional<std::int64_t> RootAnalysis::first_open() const {
  return steps_.empty() ? std::nullopt : std::optional(steps_.front().facts->step.index);
}

void RootAnalysis::cut(std::function<void()> at_cut) {
  cuts_.add(clock_step_, std::move(at_cut));
  cuts_.reach(first_open());
}

}  // namespace pileus
