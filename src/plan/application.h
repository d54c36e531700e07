#pragma once
// Operators that are applied as they declare themselves: what they make of a rule before the run.

#include "plan/terms.h"

namespace pileus::planning {

/// The term of `node`, an operator that is applied to `operands`; empty after an error.
/// Dimensions that the operator brings are added to `shapes`.
std::optional<TermIndex> apply_operator(const Graph& graph, const Node& node,
                                        const std::vector<TermIndex>& operands, Shapes& shapes,
                                        TermTable& terms, Findings& findings);

/// The same for a rooted result that is computed from `made_from`, though it is declared by `operands`.
std::optional<TermIndex> apply_operator_to(TermIndex made_from, const Graph& graph, const Node& node,
                                           const std::vector<TermIndex>& operands, Shapes& shapes,
                                           TermTable& terms, Findings& findings);

/// First element and count of what a rank holds of a dimension of a term.
std::pair<Index, Index> extent_of(const Part& part, DimensionId dimension, std::size_t rank,
                                  const Shapes& shapes, const TermTable& terms);

}  // namespace pileus::planning
