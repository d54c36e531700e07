#pragma once
// How much memory lags keep from one step to the next, which `pileus explain` and the budget foresee.

#include <cstdint>
#include <vector>

#include "plan/plan.h"

namespace pileus {

/// Whether a value is some lag's input, and how many hand-overs of it are kept besides the newest.
std::int64_t most_back(const Plan& plan, ValueId value);

/// By server.
std::vector<std::uint64_t> lag_bytes_by_server(const Plan& plan);

}  // namespace pileus
