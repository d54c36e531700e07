#pragma once
// Coarser levels of a file: which dimensions become shorter in them, and the variables that they have.

#include <vector>

#include "layout/draft.h"

namespace pileus::planning {

/// Says how many levels the file has, and along which dimensions. `variables`: those of the entries, with
/// their names and dimensions. Errors: more levels than a variable has elements for; records that the file
/// does not have as they are; points of which nothing says which belong together.
void choose_levels(const Draft& draft, const FileConfig& config, const std::vector<const Entry*>& entries,
                   const std::vector<Variable*>& variables, PlannedFile& file, Findings& findings);

/// Adds the variables of coarser levels. REQUIRES: all files are laid out, as ids follow those of all others.
void add_levels(const Draft& draft, Plan& plan);

}  // namespace pileus::planning
