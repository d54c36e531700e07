#pragma once
// Sorts steps into kinds by what is wanted in them. A run has few kinds, however many steps it has, so what
// follows from the kind alone is found once.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "dropped/dropped_axes.h"
#include "plan/plan.h"

namespace pileus {

/// By need: whether the step that `needs` was shown last meets it.
inline std::vector<bool> met_needs(const Plan& plan, const NeedTracker& needs) {
  std::vector<bool> is_met(plan.needs.size());
  for (std::size_t i = 0; i < is_met.size(); ++i) is_met[i] = needs.is_met(i);
  return is_met;
}

/// Whether one of `needs` is among those that `is_met`, by need, says are met.
inline bool is_any_met(const std::vector<std::uint32_t>& needs, const std::vector<bool>& is_met) {
  return std::ranges::any_of(needs, [&](std::uint32_t need) { return is_met[need]; });
}

/// The needs that are left where these axes get no record.
inline std::vector<bool> without(const Plan& plan, std::vector<bool> is_met, const DroppedAxes& dropped) {
  for (std::size_t i = 0; i < is_met.size() && !dropped.empty(); ++i) {
    if (dropped.has(plan.needs[i].droppable)) is_met[i] = false;
  }
  return is_met;
}

class StepKinds {
 public:
  /// REQUIRES: the plan outlives it.
  explicit StepKinds(const Plan& plan) : plan_(plan) {}

  /// The kind of the step that `needs` was shown last. Kinds are numbered from 0 in the order of their first
  /// steps.
  std::size_t of(const NeedTracker& needs) {
    return known_.try_emplace(met_needs(plan_, needs), known_.size()).first->second;
  }

 private:
  const Plan& plan_;
  std::map<std::vector<bool>, std::size_t> known_;
};

}  // namespace pileus
