#pragma once
// How much memory held fields take from one step to the next, which `pileus explain` and the budget foresee.

#include <cstdint>
#include <vector>

#include "plan/plan.h"

namespace pileus {

/// By server: what holds, and what comes in its place.
std::vector<std::uint64_t> held_bytes_by_server(const Plan& plan);

}  // namespace pileus
