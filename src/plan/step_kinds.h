#pragma once
// Steps by what is wanted in them. There are few kinds of steps, however many steps there are, so that what
// follows from the kind alone is found once.

#include <cstddef>
#include <map>
#include <vector>

#include "plan/plan.h"

namespace pileus {

/// By need: whether the step that was shown to `needs` last meets it.
inline std::vector<bool> met_needs(const Plan& plan, const NeedTracker& needs) {
  std::vector<bool> is_met(plan.needs.size());
  for (std::size_t i = 0; i < is_met.size(); ++i) is_met[i] = needs.is_met(i);
  return is_met;
}

class StepKinds {
 public:
  /// REQUIRES: the plan outlives it.
  explicit StepKinds(const Plan& plan) : plan_(plan) {}

  /// Of the step that was shown to `needs` last: from 0, in the order in which they are first seen.
  std::size_t of(const NeedTracker& needs) {
    return known_.try_emplace(met_needs(plan_, needs), known_.size()).first->second;
  }

 private:
  const Plan& plan_;
  std::map<std::vector<bool>, std::size_t> known_;
};

}  // namespace pileus
