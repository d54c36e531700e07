#pragma once
// How many servers write a file, where that follows from the size of its records.

#include "layout/draft.h"

namespace pileus::planning {

/// Warns where the number that is given means nothing. REQUIRES: files are laid out.
void choose_writers(Draft& draft, Findings& findings);

}  // namespace pileus::planning
