#pragma once
// Operators of a user's own, from a shared library that the configuration names (docs/add-an-operator.md).

#include <string>
#include <vector>

#include "core/catalogue.h"

namespace pileus {

/// What the library at `path` declares. It stays loaded until the process ends.
/// Errors: PluginError that says what is wrong with it.
std::vector<Declaration> load_operators(const std::string& path);

}  // namespace pileus
