#include "rules/zonal.h"

#include <algorithm>
#include <set>

#include "config/namespaces.h"

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

const GridConfig* grid_behind(const Graph& graph, NodeIndex node) {
  std::vector<NodeIndex> waiting = {node};
  std::set<NodeIndex> seen;
  while (!waiting.empty()) {
    const NodeIndex next = waiting.back();
    waiting.pop_back();
    if (!seen.insert(next).second) continue;
    const Node& one = graph.nodes[next];
    if (const GridConfig* grid = one.is_field() ? grid_of(graph, one) : nullptr) return grid;
    for (auto use = one.inputs.rbegin(); use != one.inputs.rend(); ++use) waiting.push_back(use->node);
  }
  return nullptr;
}

}  // namespace pileus::planning
