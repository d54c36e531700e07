#pragma once
// What a rule that regrids does not say itself, because the grids of the configuration do.

#include <map>
#include <string>

#include "rules/graph.h"

namespace pileus::planning {

/// Fills in "dimensions", by the grid of the field; "to", where it names a grid, by what that says of its
/// cells, and "target_dimensions" by the names that it gives; "weights" by both grids and the method.
/// Errors: operators::ParameterError.
void complete_from_grids(const Graph& graph, const Node& node,
                         std::map<std::string, std::string>& parameters);

}  // namespace pileus::planning
