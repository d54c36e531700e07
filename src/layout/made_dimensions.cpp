#include "layout/made_dimensions.h"

#include <algorithm>

#include "layout/metadata.h"

namespace pileus::planning {
namespace {

bool is_part(const Draft& draft, NodeIndex node, GridPart part) {
  return std::ranges::any_of(draft.grids.all, [&](const Grid& grid) { return grid[part] == node; });
}

bool has_rule_without_value(const Draft& draft) {
  for (NodeIndex node = draft.graph.field_count; node < draft.graph.nodes.size(); ++node) {
    if (!draft.values[node]) return true;
  }
  return false;
}

}  // namespace

void describe_bins_of_grids(Draft& draft) {
  for (NodeIndex node = draft.graph.field_count; node < draft.graph.nodes.size(); ++node) {
    const Node& rule = draft.graph.nodes[node];
    if (rule.edges.empty() || !draft.values[node]) continue;
    const NodeIndex by = rule.inputs.back().node;
    const bool is_latitude = is_part(draft, by, GridPart::latitude);
    if (!is_latitude && !is_part(draft, by, GridPart::longitude)) continue;
    const Term& value = draft.terms[*draft.values[node]];
    PlannedDimension& bins = draft.shapes.dimensions[value.dimensions.back().index];
    if (bins.standard_name.empty()) bins.standard_name = is_latitude ? "latitude" : "longitude";
    if (bins.units.empty()) bins.units = is_latitude ? "degrees_north" : "degrees_east";
  }
}

void describe_made_dimensions(Draft& draft, std::size_t first, Findings& findings) {
  std::vector<PlannedDimension>& dimensions = draft.shapes.dimensions;
  for (const DimensionConfig& said : draft.graph.config->dimensions) {
    const auto found = std::ranges::find(dimensions, said.name.value, &PlannedDimension::name);
    if (found != dimensions.end()) {
      if (found - dimensions.begin() >= static_cast<std::ptrdiff_t>(first))
        describe_dimension(said, *found, findings);
      continue;
    }
    const std::string problem = "the model does not register the dimension " + quoted(said.name.value);
    if (!has_rule_without_value(draft)) {
      std::vector<std::string> names;
      for (const PlannedDimension& one : dimensions) names.push_back(one.name);
      report(findings, said.name.where, problem + did_you_mean(said.name.value, names));
    } else if (!findings.has_errors()) {  // which may be the reason
      findings.warning(said.name.where, problem + ", and no rule that has a value makes it");
    }
  }
}

}  // namespace pileus::planning
