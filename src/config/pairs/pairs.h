#pragma once
// What a file takes with another field in time, such as a covariance. The rooms behind know diagnostics
// alone: of each pair one of them has the field, where both have values, and one the other.

#include <map>
#include <string>

#include "config/config.h"

namespace pileus {

/// Adds the diagnostics of all pairs, each once, and lets includes have those of the other field.
/// `units`: of fields and diagnostics, by name with namespace.
void make_pairs(Config& config, const std::map<std::string, std::string>& units);

}  // namespace pileus
