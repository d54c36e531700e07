#pragma once
// Fields that hold have to lie where they are put.

#include "core/error.h"
#include "layout/draft.h"

namespace pileus::planning {

/// Errors: one lies on points that are dealt out to other streams, which get nothing in steps that lack it;
/// or each model rank has a value of its own, which belongs to a layout.
void check_held_fields(const Draft& draft, Findings& findings);

}  // namespace pileus::planning
