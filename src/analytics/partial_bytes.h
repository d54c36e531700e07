#pragma once
// How much memory a reduced value takes while it is made and on its way.

#include <cstdint>

#include "plan/plan.h"

namespace pileus {

/// Of one element of the value, which is made of Partials or reduced to them.
std::uint64_t partial_bytes(const Plan& plan, ValueId value);

/// Of one element of its result while the rule runs: it is a Partial until all values are in. 0 for rules
/// that reduce nothing.
std::uint64_t reducing_bytes(const Rule& rule);

}  // namespace pileus
