#pragma once
// The grids of the configuration with their names resolved, and what lies on which grid. All of it follows
// from names and global dimensions: how the model ranks hold a field never matters.

#include <array>
#include <optional>
#include <set>
#include <vector>

#include "rules/graph.h"

namespace pileus::planning {

enum class GridPart : std::uint8_t { latitude, longitude, latitude_bounds, longitude_bounds, area, mask };

struct PartOfGrid {
  const char* word;  ///< its attribute in the configuration
  Text GridConfig::*name;
};
/// By GridPart.
inline constexpr std::array<PartOfGrid, 6> kGridParts = {{
    {"latitude", &GridConfig::latitude},
    {"longitude", &GridConfig::longitude},
    {"latitude_bounds", &GridConfig::latitude_bounds},
    {"longitude_bounds", &GridConfig::longitude_bounds},
    {"area", &GridConfig::area},
    {"mask", &GridConfig::mask},
}};

struct Grid {
  const GridConfig* config = nullptr;
  std::array<std::optional<NodeIndex>, kGridParts.size()> fields;  ///< by GridPart
  bool is_used = false;                                            ///< a field says that it lies on it
  const std::optional<NodeIndex>& operator[](GridPart part) const {
    return fields[static_cast<std::size_t>(part)];
  }
};

using GridSet = std::set<std::size_t>;  ///< by index into Grids::all

struct Grids {
  std::vector<Grid> all;          ///< in the order of the configuration
  std::vector<GridSet> of_nodes;  ///< by node: grids of the fields behind it that may have left it dimensions
};

/// Finds what the names of grids mean. `graph` is in order. Fields lie on the grid that they name; areas and
/// masks lie on that which names them. Errors: names that mean no field or no grid.
Grids resolve_grids(const Graph& graph, Findings& findings);

/// Adds coordinates, areas and masks to the entries of each file that may hold something of their grid.
void include_grids(Graph& graph, const Grids& grids);

/// REQUIRES: notes are wanted, as by a check without a model.
void note_unused_grids(const Grids& grids, Findings& findings);

}  // namespace pileus::planning
