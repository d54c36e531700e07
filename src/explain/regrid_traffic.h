#pragma once
// What servers send each other so that values are made on another grid, on blocks, or in whole columns.

#include <vector>

#include "messaging/frames.h"
#include "plan/plan.h"

namespace pileus::explain {

/// Of one server in one step.
struct RegridSent {
  Traffic least, most;
};

class RegridTraffic {
 public:
  /// Reads files of weights unless the grids are very large. REQUIRES: the plan outlives it.
  explicit RegridTraffic(const Plan& plan);

  /// By server. As if each model rank put all of its fields.
  std::vector<RegridSent> of_step(const NeedTracker& needs) const;

 private:
  /// What a rank of one server has of a rule's input for streams of another.
  struct Part {
    ServerRank from, to;
    ClientRank client;
    RuleId rule;
    std::int64_t bytes;
  };
  void find_parts();
  void bound_parts();
  bool is_wanted(RuleId rule, const NeedTracker& needs) const {
    return needs.is_any_met(plan_[plan_[rule].output].needs);
  }

  const Plan& plan_;
  std::vector<std::vector<Part>> parts_;  ///< by group; rising by the servers and the rank
  bool is_bound_ = false;                 ///< links were not looked at, so that less may be sent
};

}  // namespace pileus::explain
