#pragma once
// Operators of a library in C (pileus/operator.h), as those of C++ are.

#include <string>
#include <vector>

#include "pileus/operator.h"
#include "pileus/operator.hpp"

namespace pileus {

/// Errors: PluginError, without the library's name, for a table that cannot be. REQUIRES: the table stays.
std::vector<operators::Operator> operators_of(const pileus_operator_table& table);

}  // namespace pileus
