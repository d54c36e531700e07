#pragma once
// A rule of the Plan bound to the place where it runs: regions, strides, axes and shapes are known, so that a
// run takes the inputs of a step and gives the result.

#include <memory>
#include <vector>

#include "analytics/found_work.h"
#include "blocks/block_evaluator.h"
#include "followed/followed_work.h"
#include "math/sample.h"
#include "plan/plan.h"

namespace pileus {

/// What one step has produced so far in one place, by value. Not yet there, or known to be absent: Absent.
using StepValues = std::vector<Sample>;

class BoundRule {
 public:
  virtual ~BoundRule() = default;
  /// REQUIRES: no input is absent. Partials that only this rule takes may become its result.
  virtual Sample run(StepValues& values) = 0;
};

/// Where a rule is to run.
struct RulePlace {
  const Plan& plan;
  const std::vector<Region>& regions;      ///< by value, what the place holds of it
  const std::vector<bool>& has_one_taker;  ///< by value: a rule, and no variable
  BlockRegisters& registers;               ///< of all rules of the place, which run one after the other
  FoundWork& found;                        ///< likewise
  FollowedWork& followed;                  ///< likewise
  const operators::Moment& moment;         ///< of the step of the rule that runs
};

/// Errors: whatever keeps the rule from ever running there. REQUIRES: no communication; all outlives it.
std::unique_ptr<BoundRule> bind(RuleId rule, const RulePlace& place);

}  // namespace pileus
