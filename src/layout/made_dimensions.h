#pragma once
// Dimensions that rules make, such as levels of pressure and bins: what files say about them.

#include "layout/draft.h"

namespace pileus::planning {

/// Bins by the latitude or longitude of a grid are that, in degrees, if its field says nothing else.
/// REQUIRES: the rules have their terms.
void describe_bins_of_grids(Draft& draft);

/// Adds the configuration's descriptions to the dimensions from index `first` on, which are those of rules,
/// and reports those that nobody has. `first`: how many dimensions the model has.
/// Errors: see describe_dimensions; a dimension that neither the model nor a rule has, or a warning if there
/// are rules without a value, as one of them may make it.
void describe_made_dimensions(Draft& draft, std::size_t first, Findings& findings);

}  // namespace pileus::planning
