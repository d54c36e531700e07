#pragma once
// What lags go back in: the hand-overs of a value that come alike, of which some are kept.

#include <cstdint>
#include <vector>

#include "step/kept_of_steps.h"

namespace pileus {

struct LagSource {
  ValueId input;
  std::vector<RuleId> rules;
  std::int64_t most = 0;  ///< hand-overs that they go back
};

/// Those on one model rank.
std::vector<LagSource> lag_sources(const Plan& plan, ClientRank client);

/// By source, what `pileus explain` and the budget foresee.
std::vector<KeptOfSteps> kept_of_lags(const Plan& plan);

}  // namespace pileus
