#pragma once
// How much memory a Partial takes.

#include <cstdint>

#include "plan/plan.h"

namespace pileus {

/// Of one element of the value, which is made of Partials or reduced to them.
std::uint64_t partial_bytes(const Plan& plan, ValueId value);

}  // namespace pileus
