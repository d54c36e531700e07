#pragma once
// Variables of files that are made of messages: each level of a record is one, on a plane.

#include "layout/draft.h"

namespace pileus::planning {

/// Lays the dimensions of its plane together, as the fastest, and says how its numbers are packed.
/// REQUIRES: the variable has its attributes, dimensions and schedule; the file's format is one of messages.
/// Errors: whatever messages cannot have.
void make_messages(const Draft& draft, const Entry& entry, const Term& value, Variable& variable,
                   Findings& findings);

}  // namespace pileus::planning
