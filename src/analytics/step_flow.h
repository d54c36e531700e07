#pragma once
// The values of one step in one place, and the rules that make them: each runs when its inputs have settled.

#include <vector>

#include "analytics/rule_runner.h"
#include "step/step_facts.h"

namespace pileus {

class StepFlow {
 public:
  /// `rules`: those of `kind` that run in this place. REQUIRES: plan, runner and kind outlive it.
  StepFlow(const Plan& plan, RuleRunner& runner, const StepKind& kind, const std::vector<RuleId>& rules)
      : plan_(plan),
        runner_(runner),
        kind_(kind),
        values_(plan.values.size()),
        is_settled_(plan.values.size()),
        waiting_(rules) {}

  bool is_wanted(ValueId value) const { return kind_.wants(value); }
  /// There, or known to be absent.
  bool is_settled(ValueId value) const { return is_settled_[value.index]; }
  void settle(ValueId value, Sample sample);
  /// Runs what has become ready.
  void run_rules();
  /// Whether every rule that is wanted has run.
  bool is_through() const { return waiting_.empty(); }
  const StepValues& values() const { return values_; }

 private:
  const Plan& plan_;
  RuleRunner& runner_;
  const StepKind& kind_;
  StepValues values_;
  std::vector<bool> is_settled_;  ///< by value
  std::vector<RuleId> waiting_;   ///< rules that are wanted and have not run, in their order
};

}  // namespace pileus
