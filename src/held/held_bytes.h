#pragma once
// How much memory held fields take from one step to the next, which `pileus explain` and the budget foresee.

#include <vector>

#include "step/kept_of_steps.h"

namespace pileus {

/// By field that holds: what holds, and what comes in its place in each step that is open.
std::vector<KeptOfSteps> kept_of_held(const Plan& plan);

}  // namespace pileus
