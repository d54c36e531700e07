#pragma once
// Operators that are applied as they declare themselves: what they make of a rule before the run.

#include <functional>

#include "terms/terms.h"

namespace pileus::planning {

/// The same values where an operator can take them part by part; empty after an error.
using BringTogether = std::function<std::optional<std::vector<TermIndex>>(std::vector<TermIndex>)>;

/// The term of `node`, an operator that is applied to `operands`; empty after an error.
/// Dimensions that the operator brings are added to `shapes`. An operator that does not say itself which part
/// it makes has its operands brought together.
/// `has_gaps`: a reduction follows, for which model ranks need not make all elements.
std::optional<TermIndex> apply_operator(const Graph& graph, const Node& node,
                                        const std::vector<TermIndex>& operands, Shapes& shapes,
                                        TermTable& terms, Findings& findings, const BringTogether& bring,
                                        bool has_gaps = false);

/// The same for an operator that makes its result of elements on any model ranks.
/// `places`: latitude and longitude of its points, or none.
std::optional<TermIndex> regrid_operator(const Graph& graph, const Node& node, TermIndex operand,
                                         std::vector<TermIndex> places, Shapes& shapes, TermTable& terms,
                                         Findings& findings);

/// The same for an operator whose result is made of what the model ranks pick out of the first operand, over
/// `axes` of it. A second operand goes to all of them.
std::optional<TermIndex> sift_operator(const Graph& graph, const Node& node,
                                       const std::vector<TermIndex>& operands, const std::vector<int>& axes,
                                       Shapes& shapes, TermTable& terms, Findings& findings);

}  // namespace pileus::planning
