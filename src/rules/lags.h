#pragma once
// What looks back in time: `lag` and `ddt` of any value become the same value of earlier fields, as what it
// was some hand-overs before was made of the fields of then. So only fields have to be kept.

#include "rules/graph.h"

namespace pileus::planning {

/// Replaces the nodes of `lag` and `ddt` by others, of which those of the kind lag take a field or the clock.
/// Errors: lags that say no time, or of what does not come together.
void expand_lags(Graph& graph, Findings& findings);

}  // namespace pileus::planning
