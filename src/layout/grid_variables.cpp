#include "layout/grid_variables.h"

#include <algorithm>
#include <map>

#include "layout/attributes.h"
#include "layout/formula_terms.h"

namespace pileus::planning {
namespace {

/// A value that has lost a dimension of a grid does not lie on it, and one of several grids lies on none.
std::optional<std::size_t> grid_of(const Draft& draft, const Entry& entry) {
  const Term& value = draft.terms[*draft.values[entry.node]];
  const auto has = [&](const Text& dimension) {
    return std::ranges::any_of(value.dimensions, [&](DimensionId id) {
      return draft.shapes.dimensions[id.index].name == dimension.value;
    });
  };
  std::optional<std::size_t> found;
  for (const std::size_t grid : draft.grids.of_nodes[entry.node]) {
    if (!std::ranges::all_of(draft.grids.all[grid].config->dimensions, has)) continue;
    if (found) return {};
    found = grid;
  }
  return found;
}

bool has(const Variable& variable, const std::string& attribute) {
  return std::ranges::find(variable.attributes, attribute, &Attribute::name) != variable.attributes.end();
}

void add_if_absent(Variable& variable, const std::string& attribute, const std::string& value) {
  if (!value.empty() && !has(variable, attribute)) variable.attributes.push_back({attribute, value});
}

class GridsOfFile {
 public:
  GridsOfFile(const Draft& draft, const std::vector<const Entry*>& entries,
              const std::vector<Variable*>& variables, PlannedFile& file)
      : draft_(draft), entries_(entries), variables_(variables), file_(file) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (draft.is_static[entries[i]->node]) statics_.try_emplace(entries[i]->node, variables[i]);
    }
  }

  void describe() {
    GridSet grids;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const auto grid = grid_of(draft_, *entries_[i]);
      if (!grid) continue;
      grids.insert(*grid);
      describe_variable_on(draft_.grids.all[*grid], *entries_[i], *variables_[i]);
    }
    std::set<const MappingConfig*> mappings;
    GridSet meshes;
    for (const std::size_t number : grids) {
      const Grid& grid = draft_.grids.all[number];
      describe_parts(grid);
      if (grid.mapping != nullptr && mappings.insert(grid.mapping).second)
        file_.containers.push_back(
            {grid.mapping->name.value, attributes_of_mapping(*grid.mapping), grid.mapping->name.where});
      if (has_mesh(grid) && meshes.insert(*grid.mesh).second) describe_mesh(draft_.grids.all[*grid.mesh]);
    }
  }

 private:
  /// nullptr: the file does not have it, as the grid has none or the model does not register it.
  Variable* variable_of(const Grid& grid, GridPart part) const {
    const auto found = grid[part] ? statics_.find(*grid[part]) : statics_.end();
    return found == statics_.end() ? nullptr : found->second;
  }

  bool is_place(const Grid& grid, NodeIndex node) const {
    return std::ranges::any_of(std::array{GridPart::latitude, GridPart::longitude, GridPart::latitude_bounds,
                                          GridPart::longitude_bounds},
                               [&](GridPart part) { return grid[part] == node; });
  }

  void describe_variable_on(const Grid& grid, const Entry& entry, Variable& variable) const {
    if (is_place(grid, entry.node)) return;
    const Variable* const latitude = variable_of(grid, GridPart::latitude);
    const Variable* const longitude = variable_of(grid, GridPart::longitude);
    const Variable* const area = variable_of(grid, GridPart::area);
    // CDO warns of areas with coordinates. On two dimensions the CF checker misses them, and that is worse.
    const bool needs_place = area != &variable || grid.config->dimensions.size() > 1;
    if (latitude && longitude && needs_place)
      add_if_absent(variable, "coordinates", latitude->name + " " + longitude->name);
    if (area && area != &variable) add_if_absent(variable, "cell_measures", "area: " + area->name);
    if (grid.mapping != nullptr) add_if_absent(variable, "grid_mapping", grid.mapping->name.value);
    if (!has_mesh(grid)) return;
    const Grid& mesh = draft_.grids.all[*grid.mesh];
    add_if_absent(variable, "mesh", mesh.config->name.value);
    add_if_absent(variable, "location", &grid == &mesh ? "face" : "node");
  }

  /// False also where the model may do without one of the fields, and does.
  bool has_mesh(const Grid& grid) const {
    if (!grid.mesh) return false;
    const Grid& mesh = draft_.grids.all[*grid.mesh];
    return variable_of(mesh, GridPart::face_nodes) && variable_of(mesh, GridPart::node_latitude) &&
           variable_of(mesh, GridPart::node_longitude);
  }

  /// Source: UGRID conventions 1.0, "2D triangular mesh topology" and "2D flexible mesh".
  void describe_mesh(const Grid& mesh) const {
    const auto pair_of = [&](GridPart longitude, GridPart latitude) {
      const Variable *const x = variable_of(mesh, longitude), *const y = variable_of(mesh, latitude);
      return x && y ? x->name + " " + y->name : "";
    };
    Variable& face_nodes = *variable_of(mesh, GridPart::face_nodes);
    Container topology{mesh.config->name.value, {}, mesh.config->name.where};
    topology.attributes = {{"cf_role", "mesh_topology"},
                           {"topology_dimension", std::int64_t{2}},
                           {"node_coordinates", pair_of(GridPart::node_longitude, GridPart::node_latitude)},
                           {"face_node_connectivity", face_nodes.name},
                           {"face_dimension", mesh.config->dimensions.front().value}};
    const std::string faces = pair_of(GridPart::longitude, GridPart::latitude);
    if (!faces.empty()) topology.attributes.push_back({"face_coordinates", faces});
    file_.containers.push_back(std::move(topology));
    file_.has_mesh = true;
    add_if_absent(face_nodes, "cf_role", "face_node_connectivity");
    if (!has(face_nodes, "start_index"))
      face_nodes.attributes.push_back(
          {"start_index", AttributeNumbers{face_nodes.type, {}, {mesh.config->start_index}}});
    add_place(variable_of(mesh, GridPart::node_latitude), "latitude", "degrees_north");
    add_place(variable_of(mesh, GridPart::node_longitude), "longitude", "degrees_east");
  }

  void describe_parts(const Grid& grid) const {
    add_place(variable_of(grid, GridPart::latitude), "latitude", "degrees_north");
    add_place(variable_of(grid, GridPart::longitude), "longitude", "degrees_east");
    add_place(variable_of(grid, GridPart::area), "cell_area", "m2");
    add_bounds(grid, GridPart::latitude, GridPart::latitude_bounds);
    add_bounds(grid, GridPart::longitude, GridPart::longitude_bounds);
  }

  static void add_place(Variable* variable, const char* standard_name, const char* units) {
    if (variable == nullptr) return;
    add_if_absent(*variable, "standard_name", standard_name);
    add_if_absent(*variable, "units", units);
  }

  /// Bounds are what their coordinates are, in the same units, and say nothing of it themselves. Where a
  /// coordinate is missing they have what the file format fills with.
  void add_bounds(const Grid& grid, GridPart part, GridPart bounds_part) const {
    Variable* const coordinate = variable_of(grid, part);
    Variable* const bounds = variable_of(grid, bounds_part);
    if (coordinate == nullptr || bounds == nullptr) return;
    add_if_absent(*coordinate, "bounds", bounds->name);
    std::erase_if(bounds->attributes, [](const Attribute& one) {
      return one.name == "long_name" || one.name == "standard_name" || one.name == "units" ||
             one.name == "units_metadata" || one.name == "cell_methods";
    });
  }

  const Draft& draft_;
  const std::vector<const Entry*>& entries_;
  const std::vector<Variable*>& variables_;
  PlannedFile& file_;
  std::map<NodeIndex, Variable*> statics_;  ///< by node: the first of the file
};

}  // namespace

std::vector<const Entry*> entries_of_file(const Draft& draft, std::size_t file) {
  const auto all = std::ranges::equal_range(draft.graph.entries, file, {}, &Entry::file);
  std::vector<const Entry*> entries;
  std::set<NodeIndex> statics, of_grids;
  for (const Entry& entry : all) {
    if (!draft.values[entry.node] || entry.is_of_grid) continue;
    entries.push_back(&entry);
    if (draft.is_static[entry.node]) statics.insert(entry.node);
    const auto grid = grid_of(draft, entry);
    if (!grid) continue;
    for (const auto& [name, field] : fields_with(draft.grids, *grid)) of_grids.insert(field);
  }
  of_grids.merge(fields_of_terms(draft, entries));
  for (const Entry& entry : all) {
    if (!entry.is_of_grid || !draft.values[entry.node] || !draft.is_static[entry.node]) continue;
    if (of_grids.contains(entry.node) && statics.insert(entry.node).second) entries.push_back(&entry);
  }
  return entries;
}

void describe_grids(const Draft& draft, const std::vector<const Entry*>& entries,
                    const std::vector<Variable*>& variables, PlannedFile& file) {
  if (!draft.grids.all.empty()) GridsOfFile(draft, entries, variables, file).describe();
}

}  // namespace pileus::planning
