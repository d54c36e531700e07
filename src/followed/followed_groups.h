#pragma once
// Which rules follow the same inputs from step to step, as their operators declare it.

#include <optional>
#include <string>
#include <vector>

#include "step/kept_of_steps.h"

namespace pileus {

inline constexpr const char* kFollowedKind = "followed";

/// Rules that know the same after each step.
struct FollowedGroup {
  std::vector<RuleId> rules;
  ValueId input;                  ///< the first that is followed
  std::vector<std::string> keys;  ///< by which checkpoints know it: it is kept by the first, found by any
};

/// What the operator of a rule follows; null where it does not.
const operators::Followed* followed_by(const Rule& rule);

std::vector<FollowedGroup> followed_groups(const Plan& plan);

/// What the groups keep, by group.
std::vector<KeptOfSteps> kept_of_followed(const Plan& plan);

}  // namespace pileus
