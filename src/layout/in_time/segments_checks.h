#pragma once
// Rules that only windows of files run, as time_spectrum is one, may stand nowhere else.

#include "core/error.h"
#include "layout/draft.h"

namespace pileus::planning {

/// Errors: another rule takes the result of one, or a file has it in another way.
void check_rules_in_time(const Draft& draft, Findings& findings);

}  // namespace pileus::planning
