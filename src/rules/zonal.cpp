#include "rules/zonal.h"

#include <algorithm>
#include <set>

#include "config/namespaces.h"
#include "config/values.h"

namespace pileus::planning {
namespace {

const GridConfig* grid_of(const Graph& graph, const Node& field) {
  const std::string& name = field.field->grid.value;
  if (name.empty()) return nullptr;
  for (const std::string& meaning : meanings(std::string(scope_of(field.name)), name)) {
    const auto found = std::ranges::find_if(graph.config->grids, [&](const GridConfig& grid) {
      return full_name(grid.scope, grid.name.value) == meaning;
    });
    if (found != graph.config->grids.end()) return &*found;
  }
  return nullptr;
}

}  // namespace

bool replaces_grid(const Node& node, const GridConfig& grid) {
  const auto named = node.rule->parameters.find("dimensions");
  if (named == node.rule->parameters.end() || named->second.value.empty()) return true;
  const std::vector<ListItem> items = split_list(named->second.value);
  return std::ranges::any_of(items, [&](const ListItem& item) {
    return std::ranges::find(grid.dimensions, item.text, &Text::value) != grid.dimensions.end();
  });
}

const GridConfig* grid_behind(const Graph& graph, NodeIndex node) {
  std::vector<NodeIndex> waiting = {node};
  std::set<NodeIndex> seen;
  std::set<const GridConfig*> grids;
  while (!waiting.empty()) {
    const NodeIndex next = waiting.back();
    waiting.pop_back();
    if (!seen.insert(next).second) continue;
    const Node& one = graph.nodes[next];
    if (one.kind == NodeKind::regrid) {
      const GridConfig* const kept =
          one.inputs.empty() ? nullptr : grid_behind(graph, one.inputs.front().node);
      if (kept != nullptr && !replaces_grid(one, *kept)) grids.insert(kept);
      continue;
    }
    // In a cycle what is behind may not be read yet.
    const bool is_read_field = one.is_field() && one.field != nullptr;
    if (const GridConfig* grid = is_read_field ? grid_of(graph, one) : nullptr) grids.insert(grid);
    // A filter has the fields of its condition before what it keeps.
    const std::size_t first = one.is_filter && !one.inputs.empty() ? one.inputs.size() - 1 : 0;
    for (std::size_t i = first; i < one.inputs.size(); ++i) waiting.push_back(one.inputs[i].node);
  }
  return grids.size() == 1 ? *grids.begin() : nullptr;
}

std::optional<NodeIndex> field_of_grid(const Graph& graph, const GridConfig& grid, const Text& name) {
  for (const std::string& meaning : meanings(grid.scope, name.value)) {
    for (NodeIndex field = 0; field < graph.field_count; ++field)
      if (graph.nodes[field].name == meaning) return field;
  }
  return {};
}

void add_places_of_grid(const Graph& graph, Node& node) {
  if (node.kind != NodeKind::regrid || node.is_off || node.inputs.empty()) return;
  const auto& parameters = node.declaration->parameters;
  if (std::ranges::find(parameters, "weights", &ParameterDeclaration::name) == parameters.end()) return;
  const GridConfig* const grid = grid_behind(graph, node.inputs.front().node);
  if (grid == nullptr || grid->latitude.value.empty() || grid->longitude.value.empty()) return;
  const auto latitude = field_of_grid(graph, *grid, grid->latitude);
  const auto longitude = field_of_grid(graph, *grid, grid->longitude);
  if (!latitude || !longitude) return;
  // They serve a check alone.
  if (graph.nodes[*latitude].field->is_optional || graph.nodes[*longitude].field->is_optional) return;
  node.inputs.push_back({*latitude, grid->latitude.where, grid->latitude.value});
  node.inputs.push_back({*longitude, grid->longitude.where, grid->longitude.value});
}

}  // namespace pileus::planning
