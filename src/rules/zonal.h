#pragma once
// The grid on which a value lies that an expression reduces by latitude.

#include "rules/graph.h"

namespace pileus::planning {

/// That of the first field behind a node that names one; null where none does.
const GridConfig* grid_behind(const Graph& graph, NodeIndex node);

}  // namespace pileus::planning
