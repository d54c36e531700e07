#pragma once
// Numbers that the environment gives.

#include <optional>

namespace pileus {

/// A positive number of seconds; nullopt if the variable is not set, or is no such number, which is said.
std::optional<double> seconds_from_environment(const char* variable);

}  // namespace pileus
