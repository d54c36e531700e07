#pragma once
// Which entries of a checkpoint a server of a continued run holds: not the windows of elements that only
// other servers' model ranks have.

#include "checkpoint/needed_entries.h"
#include "core/ids.h"
#include "plan/plan.h"

namespace pileus {

/// REQUIRES: the plan outlives what is returned.
StateFilter state_needed_on(const Plan& plan, ServerRank self);

}  // namespace pileus
