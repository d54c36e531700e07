#pragma once
// The values of one step in one place, and the rules that make them: each runs when its inputs have settled.

#include <map>
#include <vector>

#include "analytics/local_sweeps.h"
#include "analytics/rule_runner.h"
#include "step/step_facts.h"

namespace pileus {

class StepFlow {
 public:
  /// `rules`: those of `kind` that run in this place, every one after those whose results it takes. `sweeps`:
  /// of the rules of this place; without them each runs by itself.
  /// REQUIRES: plan, runner, kind and sweeps outlive it.
  StepFlow(const Plan& plan, RuleRunner& runner, const StepKind& kind, const std::vector<RuleId>& rules,
           LocalSweeps* sweeps = nullptr);

  bool is_wanted(ValueId value) const { return kind_.wants(value); }
  /// There, or known to be absent.
  bool is_settled(ValueId value) const { return is_settled_[value.index]; }
  void settle(ValueId value, Sample sample);
  /// Runs what has become ready.
  void run_rules();
  /// Whether every rule that is wanted has run.
  bool is_through() const { return waiting_.empty() && swept_waiting_.empty(); }
  const StepValues& values() const { return values_; }

 private:
  void wait_for(RuleId rule);
  void run_sweeps();

  const Plan& plan_;
  RuleRunner& runner_;
  LocalSweeps* sweeps_;
  const StepKind& kind_;
  StepValues values_;
  std::vector<bool> is_settled_;  ///< by value
  std::vector<RuleId> waiting_;   ///< rules that are wanted and have not run, in their order
  std::map<std::size_t, std::vector<RuleId>> swept_waiting_;  ///< likewise, by sweep
};

}  // namespace pileus
