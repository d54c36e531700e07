#pragma once
// Runs rules of the Plan on the values of one step, as far as one place holds them: one model rank's part, or
// a root.

#include <chrono>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "analytics/block_evaluator.h"
#include "core/cost.h"
#include "math/sample.h"
#include "plan/plan.h"

namespace pileus {

/// What one step has produced so far in one place, by value. Not yet there, or known to be absent: Absent.
using StepValues = std::vector<Sample>;

/// Is told, in a sentence, of something that gives no value from then on.
using Failed = std::function<void(const std::string&)>;

class RuleRunner {
 public:
  /// `regions`: by value, what this place holds of it; start 0 and the full count for own, same and rooted
  /// values.
  /// `failed`: is told of a rule that fails; default: into the log.
  RuleRunner(const Plan& plan, std::vector<Region> regions, Failed failed = {});

  /// Computes the rule's result into `values`. If an input is absent, so is the result. A rule that fails
  /// makes its result absent and is reported once. Partials that only this rule takes may become its result.
  /// REQUIRES: the rule is no communication.
  void run(RuleId rule, StepValues& values);

  /// By rule: what its runs here took.
  const std::vector<Cost>& costs() const { return costs_; }
  /// Counts a run of the rule that others did.
  void charge(RuleId rule, std::chrono::steady_clock::duration time) { costs_[rule.index] += {1, time}; }

  const Region& region(ValueId value) const { return regions_[value.index]; }

 private:
  Sample result(const Rule& rule, StepValues& values) const;
  /// Laid against a region of `result`, which is made of them.
  std::vector<AlignedInput> aligned_inputs(const Rule& rule, const Value& result, const Region& region,
                                           const StepValues& values) const;
  Sample run(const LocalReduce& action, const Rule& rule, const StepValues& values) const;
  Sample run(const Arithmetic& action, const Rule& rule, const StepValues& values) const;
  Sample run(const Apply& action, const Rule& rule, const StepValues& values) const;
  Sample run(const Locate& action, const Rule& rule, const StepValues& values) const;
  Sample run(const Scale& action, const Rule& rule, StepValues& values) const;

  const Plan& plan_;
  std::vector<Region> regions_;
  Failed report_;
  std::vector<Cost> costs_;
  std::vector<bool> has_one_taker_;  ///< by value: a rule, and no variable
  std::set<RuleId> failed_;          ///< already reported
};

/// What `client` holds of every value.
std::vector<Region> regions_of_client(const Plan& plan, ClientRank client);
/// By model rank: what each holds of a value. REQUIRES: it is distributed.
std::vector<Region> regions_of_value(const Plan& plan, ValueId value);
/// The whole of every value; empty regions for values whose shape only their rank knows.
std::vector<Region> whole_regions(const Plan& plan);

}  // namespace pileus
