#pragma once
// What a server of a continued run reads of a checkpoint: windows of elements that its own model ranks have,
// those that are reduced to it, its ranks' parts of static fields, static variables of files that it owns,
// and the little that every server has to know.

#include "checkpoint/continuation.h"
#include "core/ids.h"
#include "plan/plan.h"

namespace pileus {

/// REQUIRES: the plan outlives what is returned.
StateFilter state_needed_on(const Plan& plan, ServerRank self);

/// What server 0 needs before there is a Plan: nothing of windows and of static variables, of static fields
/// where they lie.
StateFilter state_needed_to_plan();

}  // namespace pileus
