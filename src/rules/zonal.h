#pragma once
// What rules take from the grid of the value that they are made of: a mean by latitude, and a regridding.

#include <optional>

#include "rules/graph.h"

namespace pileus::planning {

/// That of the fields behind a node but conditions; null where they name none, or several.
const GridConfig* grid_behind(const Graph& graph, NodeIndex node);

/// Whether the result of a regridding lies on another grid than its input, which lies on this one.
bool replaces_grid(const Node& node, const GridConfig& grid);

/// The field that a grid names so; none where there is no such field, which the grid's own check says.
std::optional<NodeIndex> field_of_grid(const Graph& graph, const GridConfig& grid, const Text& name);

/// Adds latitude and longitude of its input's grid to the inputs of a rule that regrids by weights, which are
/// to be those of this grid.
void add_places_of_grid(const Graph& graph, Node& node);

}  // namespace pileus::planning
