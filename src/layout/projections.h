#pragma once
// The coordinates of projections: along which dimensions of a grid they lie, and what CF calls them
// (conventions 1.11, section 5.6 and appendix F).

#include "layout/draft.h"

namespace pileus::planning {

/// Describes the dimensions of grids that have a grid_mapping. REQUIRES: what the configuration says of
/// dimensions stands there. Errors: dimensions that are not two, whose directions nothing tells, that have no
/// coordinates or no units, or other names. What no file needs is checked without a model alone.
void describe_projections(Draft& draft, Findings& findings);

}  // namespace pileus::planning
