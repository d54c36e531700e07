#pragma once
// What a file holds and says because its variables lie on a grid (CF conventions 1.11, sections 5, 7.1 and
// 7.2; UGRID conventions 1.0).

#include <vector>

#include "layout/draft.h"

namespace pileus::planning {

/// The entries of the file that have values. Those of a grid are among them if something else in the file
/// lies on it, each field once, and not if the file includes the field by itself.
std::vector<const Entry*> entries_of_file(const Draft& draft, std::size_t file);

/// Adds what CF wants of variables on a grid, and of the variables that describe it. What the configuration
/// says of them stays. Projections and meshes get variables of their own in `file`. REQUIRES: the variables
/// of the entries have their names.
void describe_grids(const Draft& draft, const std::vector<const Entry*>& entries,
                    const std::vector<Variable*>& variables, PlannedFile& file);

}  // namespace pileus::planning
