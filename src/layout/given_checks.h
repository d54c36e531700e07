#pragma once
// Whether the run knows the coordinates and dates that expressions take.

#include "layout/draft.h"

namespace pileus::planning {

/// REQUIRES: shapes and time are known; without a model there are notes of what it has to give.
/// Errors: coordinates that the model does not give, dates without an epoch; such nodes are off.
void check_given(Draft& draft, Findings& findings);

}  // namespace pileus::planning
