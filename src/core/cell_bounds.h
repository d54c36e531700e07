#pragma once
// Coordinates of a dimension and the cells that they stand for.

#include <vector>

namespace pileus {

/// Whether they grow, or fall, all the way.
bool is_strictly_monotonic(const std::vector<double>& numbers);

/// Both ends of each cell, half way between neighbours; the outermost cells are symmetric.
/// REQUIRES: at least two coordinates.
std::vector<double> cells_between(const std::vector<double>& coordinates);

}  // namespace pileus
