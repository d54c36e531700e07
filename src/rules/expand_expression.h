#pragma once
// An expression of the configuration as rules like those that are written out: arithmetic, filters, local
// reductions and reductions.

#include "rules/read_rule.h"

namespace pileus::planning {

/// Makes the node `result`, the result of a diagnostic with an expression, what computes it, and adds the
/// nodes before it. What is wrong is reported with its place inside the expression; `result` is off then.
void expand_expression(Graph& graph, NodeIndex result, const LookUp& look_up, Findings& findings);

}  // namespace pileus::planning
