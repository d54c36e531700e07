#pragma once
// The edges of bins, as reductions have them: "-90:90:10", or "0, 1, 5".

#include <string_view>
#include <vector>

#include "expression/expression_tree.h"

namespace pileus::planning {

/// From "first:last:step" or a list of numbers, which rise. Edge i of first:last:step is first + i ((last -
/// first) / n), with n steps. Errors: ExpressionError.
std::vector<double> parse_edges(std::string_view text);

/// Errors: ExpressionError where a reduction has only one of what its bins are by and their edges.
void require_whole_bins(const TreeNode& reduction);

}  // namespace pileus::planning
