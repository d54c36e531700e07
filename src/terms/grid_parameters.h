#pragma once
// What a rule that regrids does not say itself, because the grids of the configuration do.

#include <map>
#include <string>
#include <vector>

#include "rules/graph.h"
#include "terms/terms.h"
#include "weights/wanted_weights.h"

namespace pileus::planning {

/// Fills in "dimensions", by the grid of the field; "to", where it names a grid, by what that says of its
/// cells, and "target_dimensions" by the names that it gives; "weights" by both grids and the method.
/// Errors: operators::ParameterError.
void complete_from_grids(const Graph& graph, const Node& node,
                         std::map<std::string, std::string>& parameters);

/// The parameters of a rule that regrids, with what grids say and what is usual where nobody says it; not the
/// names of inputs. Errors: operators::ParameterError.
std::map<std::string, std::string> completed_parameters(const Graph& graph, const Node& node);
/// Of a file of weights, of which it reads some pieces: others with another digest are other weights. ""
/// where there is none.
std::string digest_of_weights(const std::string& path);

/// Whether coordinates have the dimensions of the points of an operand, in their order, and never change.
bool lie_on_points(const TermTable& terms, const std::vector<TermIndex>& places, TermIndex operand,
                   const Regridding& how);
/// Whether one has these dimensions in another order.
bool is_any_turned(const TermTable& terms, const std::vector<TermIndex>& places, TermIndex operand,
                   const Regridding& how);

/// The weights that the rules of a configuration need and name no file for, each once. Errors: findings of
/// names and expressions.
std::vector<WantedWeights> wanted_weights(const Config& config, Findings& findings);

}  // namespace pileus::planning
