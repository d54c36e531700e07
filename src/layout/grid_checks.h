#pragma once
// Holds grids against the fields that they name and that lie on them.

#include "layout/draft.h"

namespace pileus::planning {

/// Errors: fields of grids that change in time, are no numbers or have other dimensions; fields that lack a
/// dimension of their grid. What no file needs is checked without a model alone.
void check_grids(const Draft& draft, Findings& findings);

}  // namespace pileus::planning
