#pragma once
// Which reduced values go to their windows side by side, as one (docs/decisions/050).

#include "plan/plan.h"

namespace pileus {

/// Finds the bundles of the plan, and puts the communications of each one after the other in their tree.
/// REQUIRES: the plan is whole but for them, and has none yet.
void arrange_bundles(Plan& plan);

}  // namespace pileus
