#pragma once
// The grids of the configuration with their names resolved, and what lies on which grid. All of it follows
// from names and global dimensions: how the model ranks hold a field never matters.

#include <array>
#include <optional>
#include <set>
#include <vector>

#include "rules/graph.h"

namespace pileus::planning {

enum class GridPart : std::uint8_t {
  latitude,
  longitude,
  latitude_bounds,
  longitude_bounds,
  area,
  mask,
  face_nodes,
  node_latitude,
  node_longitude
};

struct PartOfGrid {
  const char* word;  ///< its attribute in the configuration
  Text GridConfig::*name;
};
/// The parts that say which nodes the cells of a mesh have.
inline bool is_of_mesh(GridPart part) { return part >= GridPart::face_nodes; }
/// By GridPart.
inline constexpr std::array<PartOfGrid, 9> kGridParts = {{
    {"latitude", &GridConfig::latitude},
    {"longitude", &GridConfig::longitude},
    {"latitude_bounds", &GridConfig::latitude_bounds},
    {"longitude_bounds", &GridConfig::longitude_bounds},
    {"area", &GridConfig::area},
    {"mask", &GridConfig::mask},
    {"face_nodes", &GridConfig::face_nodes},
    {"node_latitude", &GridConfig::node_latitude},
    {"node_longitude", &GridConfig::node_longitude},
}};

struct Grid {
  const GridConfig* config = nullptr;
  std::array<std::optional<NodeIndex>, kGridParts.size()> fields;  ///< by GridPart
  bool is_used = false;                                            ///< a field says that it lies on it
  const MappingConfig* mapping = nullptr;                          ///< of its projection; null: none
  /// The grid with the mesh whose cells or nodes these points are; none where there is no mesh.
  std::optional<std::size_t> mesh = {};
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
/// masks lie on that which names them. Errors: names that mean no field, no grid or no
/// grid_mapping.
Grids resolve_grids(const Graph& graph, Findings& findings);

/// The fields that come into a file with something on the grid, and their names: its own, and of the mesh
/// whose nodes it has those that describe the mesh.
std::vector<std::pair<const Text*, NodeIndex>> fields_with(const Grids& grids, std::size_t number);

/// Adds these to the entries of each file that may hold something of their grid.
void include_grids(Graph& graph, const Grids& grids);

/// REQUIRES: notes are wanted, as by a check without a model.
void note_unused_grids(const Config& config, const Grids& grids, Findings& findings);

}  // namespace pileus::planning
