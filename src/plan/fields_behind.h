#pragma once
// Finds the fields of the model that a value is made of, for messages that say what is waited for.

#include <string>
#include <vector>

#include "plan/plan.h"

namespace pileus {

/// "w", "u, v and 3 more": the names of the fields that any of `values` is made of, in the order of the plan;
/// "" if there are none.
std::string fields_behind(const Plan& plan, const std::vector<ValueId>& values);

/// The fields behind everything that travels in one tree.
std::string fields_behind(const Plan& plan, const Tree& tree);

}  // namespace pileus
