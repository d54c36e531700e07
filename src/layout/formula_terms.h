#pragma once
// The variables behind a parametric vertical coordinate, as the configuration names them for a dimension (CF
// conventions 1.11, section 4.3.3 and appendix D).

#include <set>
#include <string>
#include <vector>

#include "layout/draft.h"

namespace pileus::planning {

/// Adds the static fields that formula_terms name to the entries of each file that may have their dimension.
/// `graph` is in order. Errors: what is no list of terms, and names that nothing has.
void include_formula_terms(Graph& graph, Findings& findings);

/// The static fields that formula_terms of the entries' dimensions name.
std::set<NodeIndex> fields_of_terms(const Draft& draft, const std::vector<const Entry*>& entries);

/// Checks that the file has what formula_terms of its dimensions name. `names`: of its variables.
void check_formula_terms(const Draft& draft, const std::vector<const Entry*>& entries,
                         const std::vector<std::string>& names, Findings& findings);

}  // namespace pileus::planning
