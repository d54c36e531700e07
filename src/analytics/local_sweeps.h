#pragma once
// Which local reductions of one model rank's values are done together: all those over one domain whose
// results are made of fields, as a Sweep. Used by StepFlow. The results are those of the rules one by one.

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "analytics/rule_runner.h"
#include "sweeps/sweep.h"

namespace pileus {

class SweptValues;

class LocalSweeps {
 public:
  /// `rules`: those that one place runs, every one after those whose results it takes.
  /// REQUIRES: plan and runner outlive it.
  LocalSweeps(const Plan& plan, const std::vector<RuleId>& rules, RuleRunner& runner);

  std::size_t size() const { return swept_.size(); }
  /// Which sweep computes the rule's result.
  std::optional<std::size_t> sweep_of(RuleId rule) const;
  /// Whether sweeps alone take the rule's result, so that nobody needs it by itself.
  bool is_within_sweeps(RuleId rule) const { return is_within_[rule.index]; }

  /// Whether everything that the rules of the sweep are made of has settled.
  bool is_ready(std::size_t sweep, const std::vector<RuleId>& rules,
                const std::function<bool(ValueId)>& is_settled) const;
  /// Computes the results of these rules of the sweep into `values`; absent where one of its fields is.
  /// REQUIRES: is_ready.
  void run(std::size_t sweep, const std::vector<RuleId>& rules, StepValues& values);

 private:
  struct Member {
    RuleId rule;
    SweptResult result;
    std::vector<ValueId> fields;
    std::vector<RuleId> within;  ///< rules whose results it has on the way, and nobody else
  };
  struct Swept {
    SweepNodes nodes;
    std::vector<Member> members;  ///< by increasing rule
    std::unique_ptr<Sweep> sweep;
  };
  void add_sweep(const SweptValues& swept_values, const std::vector<Index>& extents,
                 const std::vector<RuleId>& group);
  void charge(std::size_t sweep, const std::vector<RuleId>& rules, std::chrono::steady_clock::duration time);
  const Member& member(std::size_t sweep, RuleId rule) const;

  const Plan& plan_;
  RuleRunner& runner_;
  std::vector<std::unique_ptr<Swept>> swept_;
  std::vector<std::optional<std::size_t>> sweep_of_;  ///< by rule
  std::vector<bool> is_within_;                       ///< by rule
};

}  // namespace pileus
