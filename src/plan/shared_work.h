#pragma once
// Which rules have work in common that is done once for all of them, as their operators declare it.

#include <optional>
#include <vector>

#include "plan/plan.h"

namespace pileus {

/// By rule: the first rule that has the same work, or nothing where no other rule has it. Where parts of
/// results differ the work is done for each of them.
std::vector<std::optional<RuleId>> shared_work(const Plan& plan);

}  // namespace pileus
