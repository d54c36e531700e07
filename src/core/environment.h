#pragma once
// Numbers that the environment gives.

#include <optional>
#include <string>
#include <vector>

namespace pileus {

/// A positive number of seconds; nullopt if the variable is not set, or is no such number.
std::optional<double> seconds_from_environment(const char* variable);

/// What is wrong in variables of the environment, and ignored: every process of a job reads them, one says it.
std::vector<std::string> mistakes_of_environment();

}  // namespace pileus
