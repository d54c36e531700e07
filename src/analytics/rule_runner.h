#pragma once
// Runs rules of the Plan on the values of one step, as far as one place holds them: one model rank's part, or
// a root.

#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "analytics/bound_rule.h"
#include "core/cost.h"
#include "followed/followed_work.h"
#include "plan/held_regions.h"

namespace pileus {

/// Is told, in a sentence, of something that gives no value from then on.
using Failed = std::function<void(const std::string&)>;

class RuleRunner {
 public:
  /// `regions`: by value, what this place holds of it; start 0 and the full count for own, same and rooted
  /// values.
  /// `failed`: is told of a rule that fails; default: into the log.
  RuleRunner(const Plan& plan, std::vector<Region> regions, Failed failed = {});
  RuleRunner(const RuleRunner&) = delete;
  RuleRunner& operator=(const RuleRunner&) = delete;

  /// Makes the rules ready to run. One that cannot run here fails when it does.
  void bind(const std::vector<RuleId>& rules);
  /// Computes the rule's result into `values`. If an input is absent, so is the result. A rule that fails
  /// makes its result absent and is reported once. Partials that only this rule takes may become its result.
  /// REQUIRES: the rule is no communication.
  void run(RuleId rule, StepValues& values, CostOfRuns& costs, const operators::Moment& moment = {});
  void run(RuleId rule, StepValues& values) {
    CostOfRuns costs;
    run(rule, values, costs);
  }

  /// What rules know of the steps before. They run in the order of the steps.
  FollowedWork& followed() { return followed_; }
  const FollowedWork& followed() const { return followed_; }

  /// Lets go of what rules found that others take too. To be called when no more run for now.
  void forget_found() { found_.forget(); }

  /// By rule: what its runs here took.
  const std::vector<Cost>& costs() const { return costs_; }
  /// Counts a run of the rule that others did.
  void charge(RuleId rule, std::chrono::steady_clock::duration time) { costs_[rule.index] += {1, time}; }

  const Region& region(ValueId value) const { return regions_[value.index]; }

 private:
  BoundRule& bound(RuleId rule);

  const Plan& plan_;
  std::vector<Region> regions_;
  Failed report_;
  std::vector<Cost> costs_;
  std::vector<bool> has_one_taker_;  ///< by value: a rule, and no variable
  BlockRegisters registers_;
  FoundWork found_;
  FollowedWork followed_;
  operators::Moment moment_;                       ///< of the rule that runs
  std::vector<std::unique_ptr<BoundRule>> bound_;  ///< by rule; null: not yet
  std::set<RuleId> failed_;                        ///< already reported
};

}  // namespace pileus
