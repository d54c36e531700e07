#pragma once
// What a mean by latitude takes from the grid of the value that it is taken of.

#include <optional>

#include "rules/graph.h"

namespace pileus::planning {

/// That of the fields behind a node but conditions; null where they name none, or several.
const GridConfig* grid_behind(const Graph& graph, NodeIndex node);

/// The field that a grid names so; none where there is no such field, which the grid's own check says.
std::optional<NodeIndex> field_of_grid(const Graph& graph, const GridConfig& grid, const Text& name);

}  // namespace pileus::planning
