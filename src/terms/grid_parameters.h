#pragma once
// What a rule that regrids does not say itself, because the grids of the configuration do.

#include <map>
#include <string>
#include <vector>

#include "rules/graph.h"
#include "terms/terms.h"
#include "weights/wanted_weights.h"

namespace pileus::planning {

/// The grid of the configuration that a rule regrids to; null where it describes the cells itself.
const GridConfig* target_of(const Graph& graph, const Node& node);

/// Fills in "dimensions", by the grid of the field; "to", where it names a grid, by what that says of its
/// cells, "target_dimensions" by the names that it gives; "weights" by both grids and the method. Where a
/// file has the cells its path is "to" and "target_file", and the grid's name "target_name".
/// Errors: operators::ParameterError.
void complete_from_grids(const Graph& graph, const Node& node,
                         std::map<std::string, std::string>& parameters);

/// The parameters of a rule that regrids, with what grids say and what is usual where nobody says it; not the
/// names of inputs. Errors: operators::ParameterError.
std::map<std::string, std::string> completed_parameters(const Graph& graph, const Node& node);

/// Whether coordinates have the dimensions of the points of an operand, in their order, and never change.
bool lie_on_points(const TermTable& terms, const std::vector<TermIndex>& places, TermIndex operand,
                   const Regridding& how);
/// Whether one has these dimensions in another order.
bool is_any_turned(const TermTable& terms, const std::vector<TermIndex>& places, TermIndex operand,
                   const Regridding& how);

/// A path in a configuration is one beside that file. "" stays "".
std::string path_beside(const std::string& configuration, const std::string& path);

/// The weights that the rules of a configuration need and name no file for, each once. Errors: findings of
/// names and expressions.
std::vector<WantedWeights> wanted_weights(const Config& config, Findings& findings);

}  // namespace pileus::planning
