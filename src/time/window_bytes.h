#pragma once
// How much memory a window holds from one sample to the next.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "plan/plan.h"

namespace pileus {

/// Elements equal to it are left out by the windows of a stage: those that the value lacks, and in later
/// stages those of which the stage before had nothing.
std::optional<double> missing_of(const Plan& plan, const Variable& variable, std::size_t stage);

/// The bytes that all windows of a variable hold of one element of it.
std::uint64_t window_bytes_of_element(const Plan& plan, const Variable& variable);

}  // namespace pileus
