#include "terms/grid_parameters.h"

#include <algorithm>
#include <vector>

#include "config/namespaces.h"
#include "core/catalogue.h"
#include "rules/zonal.h"
#include "weights/target_grid.h"

namespace pileus::planning {
namespace {

std::string list_of(const std::vector<Text>& names) {
  std::string list;
  for (const Text& one : names) list += (list.empty() ? "" : ",") + one.value;
  return list;
}

const GridConfig* grid_of_name(const Graph& graph, const std::string& scope, const std::string& name) {
  for (const std::string& meaning : meanings(scope, name)) {
    const auto found = std::ranges::find_if(graph.config->grids, [&](const GridConfig& grid) {
      return full_name(grid.scope, grid.name.value) == meaning;
    });
    if (found != graph.config->grids.end()) return &*found;
  }
  return nullptr;
}

std::vector<DimensionId> points_of(const TermTable& terms, TermIndex operand, const Regridding& how) {
  std::vector<DimensionId> points;
  for (const int axis : how.axes) points.push_back(terms[operand].dimensions[static_cast<std::size_t>(axis)]);
  return points;
}

/// Of the operator regrid.
constexpr const char* kUsualMethod = "conservative";

std::string file_of(const GridConfig& grid) { return path_beside(grid.where.file, grid.file.value); }

void take_target(const GridConfig& grid, std::map<std::string, std::string>& parameters) {
  if (!grid.is_target())
    throw operators::ParameterError("to", "the grid \"" + grid.name.value + "\" does not say its cells");
  parameters["to"] = grid.cells.value;
  parameters["target_dimensions"] = list_of(grid.dimensions);
  if (grid.file.value.empty()) return;
  parameters["to"] = parameters["target_file"] = file_of(grid);
  parameters["target_name"] = grid.name.value;
}

}  // namespace

const GridConfig* target_of(const Graph& graph, const Node& node) {
  const auto to = node.rule->parameters.find("to");
  if (to == node.rule->parameters.end()) return nullptr;
  return grid_of_name(graph, graph.diagnostic_of(node).scope, to->second.value);
}

void complete_from_grids(const Graph& graph, const Node& node,
                         std::map<std::string, std::string>& parameters) {
  const GridConfig* const source = grid_behind(graph, node.inputs.front().node);
  std::string& dimensions = parameters["dimensions"];
  if (dimensions.empty() && source != nullptr) dimensions = list_of(source->dimensions);
  const auto to = parameters.find("to");
  if (to == parameters.end() || !parameters.contains("weights")) return;  // no grid is meant
  const std::string target = to->second;
  if (const GridConfig* grid = target_of(graph, node)) take_target(*grid, parameters);
  std::string& weights = parameters["weights"];
  if (weights.empty() && source == nullptr) {
    throw operators::ParameterError("weights",
                                    "the field lies on no grid that the configuration names, so "
                                    "weights=\"FILE\" has to say which weights are meant");
  }
  if (weights.empty())
    weights = "weights/" + weights_file_name(source->name.value, target, parameters["method"]);
  weights = path_beside(node.where.file, weights);
}

std::map<std::string, std::string> completed_parameters(const Graph& graph, const Node& node) {
  std::map<std::string, std::string> parameters;
  for (const ParameterDeclaration& one : node.declaration->parameters) {
    if (one.kind == operators::ParameterKind::name) continue;
    const auto found = node.rule->parameters.find(one.name);
    const bool is_given = found != node.rule->parameters.end() && !found->second.value.empty();
    parameters[one.name] = is_given ? found->second.value : one.default_value;
  }
  complete_from_grids(graph, node, parameters);
  return parameters;
}

bool lie_on_points(const TermTable& terms, const std::vector<TermIndex>& places, TermIndex operand,
                   const Regridding& how) {
  const std::vector<DimensionId> points = points_of(terms, operand, how);
  return std::ranges::all_of(places, [&](TermIndex place) {
    const Term& coordinate = terms[place];
    return coordinate.spread == Spread::distributed && coordinate.is_static &&
           coordinate.dimensions == points;
  });
}

bool is_any_turned(const TermTable& terms, const std::vector<TermIndex>& places, TermIndex operand,
                   const Regridding& how) {
  const std::vector<DimensionId> points = points_of(terms, operand, how);
  return std::ranges::any_of(places, [&](TermIndex place) {
    const auto& others = terms[place].dimensions;
    return others != points && std::ranges::is_permutation(others, points);
  });
}

std::string path_beside(const std::string& configuration, const std::string& path) {
  const std::size_t slash = configuration.rfind('/');
  const bool is_here = path.empty() || path.starts_with('/') || slash == configuration.npos;
  return is_here ? path : configuration.substr(0, slash + 1) + path;
}

std::vector<WantedWeights> wanted_weights(const Config& config, Findings& findings) {
  const Graph graph = resolve_names(config, findings);
  std::map<std::string, WantedWeights> wanted;  // by the files' names
  for (const Node& node : graph.nodes) {
    if (node.is_off || node.kind != NodeKind::regrid || node.declaration->name != "regrid") continue;
    const auto given = [&](const char* parameter) {
      const auto found = node.rule->parameters.find(parameter);
      return found == node.rule->parameters.end() ? std::string() : found->second.value;
    };
    const GridConfig* const source = grid_behind(graph, node.inputs.front().node);
    if (!given("weights").empty() || source == nullptr) continue;
    const std::string to = given("to"), method = given("method");
    const GridConfig* const target = target_of(graph, node);
    WantedWeights one{source->name.value,
                      source->latitude.value,
                      source->longitude.value,
                      source->latitude_bounds.value,
                      source->longitude_bounds.value,
                      source->mask.value,
                      target != nullptr ? to : "",
                      target != nullptr ? target->cells.value : to,
                      target != nullptr ? file_of(*target) : "",
                      method.empty() ? kUsualMethod : method};
    const std::string name = weights_file_name(one.source, to, one.method);
    wanted.emplace(name, std::move(one));
  }
  std::vector<WantedWeights> all;
  for (auto& [name, one] : wanted) all.push_back(std::move(one));
  return all;
}

}  // namespace pileus::planning
