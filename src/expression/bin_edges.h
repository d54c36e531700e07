#pragma once
// The edges of bins, as reductions have them: "-90:90:10", "log:1e-6:1e-2:20", or "0, 1, 5".

#include <span>
#include <string_view>
#include <vector>

#include "expression/expression_tree.h"

namespace pileus::planning {

/// From "first:last:step", "log:first:last:n" or a list of numbers, which rise; "outer:" before these adds a
/// bin at either end for all that lies outside. Edge i of first:last:step is
/// first + i ((last - first) / n), with n steps; the logarithmic one is first · (last / first)^(i / n).
/// Errors: ExpressionError.
std::vector<double> parse_edges(std::string_view text);

/// Where a bin stands: in its middle, or as far beyond the only edge of an outer bin as that of the next bin.
double middle_of_bin(std::span<const double> edges, std::size_t bin);

/// Errors: ExpressionError where a reduction has only one of what its bins are by and their edges.
void require_whole_bins(const TreeNode& reduction);

}  // namespace pileus::planning
