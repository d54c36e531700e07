#pragma once
// The values of one step in one place, and the rules that make them: each runs when its inputs have settled.

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "analytics/local_sweeps.h"
#include "analytics/rule_runner.h"
#include "step/step_facts.h"

namespace pileus {

/// What the values of a step lie in. A later step may use it again: it asks for memory once.
struct StepMemory {
  StepValues values;
  std::vector<bool> is_settled;  ///< by value
  std::vector<ValueId> settled;  ///< each once or more
  std::vector<RuleId> waiting;   ///< rules that are wanted and have not run, in their order
};

/// What steps that are closed have given up, for those to come: as many as are open at once, up to some.
class SpareMemory {
 public:
  StepMemory take() {
    if (spare_.empty()) return {};
    StepMemory memory = std::move(spare_.back());
    spare_.pop_back();
    return memory;
  }
  void give_back(StepMemory memory) {
    if (spare_.size() < kMost) spare_.push_back(std::move(memory));
  }

 private:
  static constexpr std::size_t kMost = 4;
  std::vector<StepMemory> spare_;
};

class StepFlow {
 public:
  /// `rules`: those of `kind` that run in this place, every one after those whose results it takes. `sweeps`:
  /// of the rules of this place; without them each runs by itself.
  /// `memory`: that an earlier step of the plan gave up, or none.
  /// REQUIRES: plan, runner, kind and sweeps outlive it.
  StepFlow(const Plan& plan, RuleRunner& runner, const StepKind& kind, const std::vector<RuleId>& rules,
           LocalSweeps* sweeps = nullptr, StepMemory memory = {});

  bool is_wanted(ValueId value) const { return kind_.wants(value); }
  /// There, or known to be absent.
  bool is_settled(ValueId value) const { return memory_.is_settled[value.index]; }
  void settle(ValueId value, Sample sample);
  /// The result of a rule that has not run, and does not run then. Where the rule is not wanted, it counts
  /// for nothing.
  void settle_made(ValueId value, Sample sample);
  /// Which step it is, and what the clock says of it, where rules want that. Order: before rules run, by
  /// increasing step.
  void settle_clock(const Step& step);
  /// Runs what has become ready. Tells whether rules of later steps may have waited for it.
  bool run_rules();
  /// Whether rules wait that run in the order of the steps.
  bool follows() const;
  /// Whether every rule that is wanted has run.
  bool is_through() const { return memory_.waiting.empty() && swept_waiting_.empty(); }
  const StepValues& values() const { return memory_.values; }
  /// Lets the values go, and gives up what they lay in.
  StepMemory give_up() &&;

 private:
  void wait_for(RuleId rule);
  void mark_settled(ValueId value);
  void run_sweeps();

  const Plan& plan_;
  RuleRunner& runner_;
  LocalSweeps* sweeps_;
  const StepKind& kind_;
  StepMemory memory_;
  operators::Moment moment_;
  bool has_made_ = false;                                     ///< results have come since rules ran
  std::map<std::size_t, std::vector<RuleId>> swept_waiting_;  ///< as in the memory, by sweep
};

}  // namespace pileus
