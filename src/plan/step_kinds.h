#pragma once
// Steps by what is wanted in them. There are few kinds of steps, however many steps there are, so that what
// follows from the kind alone is found once.

#include <cstddef>
#include <map>
#include <vector>

#include "plan/plan.h"

namespace pileus {

class StepKinds {
 public:
  explicit StepKinds(const Plan& plan) : is_met_(plan.needs.size()) {}

  /// Of the step that was shown to `needs` last: from 0, in the order in which they are first seen.
  std::size_t of(const NeedTracker& needs) {
    for (std::size_t i = 0; i < is_met_.size(); ++i) is_met_[i] = needs.is_met(i);
    return known_.try_emplace(is_met_, known_.size()).first->second;
  }

 private:
  std::vector<bool> is_met_;  ///< by need
  std::map<std::vector<bool>, std::size_t> known_;
};

}  // namespace pileus
