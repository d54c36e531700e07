#pragma once
// Numbers that the environment gives.

#include <optional>
#include <string>
#include <vector>

namespace pileus {

/// A positive number of seconds; nullopt if the variable is not set, or is no such number.
std::optional<double> seconds_from_environment(const char* variable);

/// What is wrong in variables of the environment, and ignored: all processes of a job read them, one says it.
std::vector<std::string> mistakes_of_environment();

}  // namespace pileus
