#pragma once
// How much memory a window holds from one sample to the next.

#include <cstdint>

#include "plan/plan.h"

namespace pileus {

/// The bytes that a window holds of one element of the variable.
std::uint64_t window_bytes_of_element(const Plan& plan, const Variable& variable);

}  // namespace pileus
