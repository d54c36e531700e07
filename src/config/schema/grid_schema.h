#pragma once
// The elements that say where points lie, for the table of all elements.

#include <vector>

#include "config/schema/schema.h"

namespace pileus {

/// <grid> and <grid_mapping>.
std::vector<ElementSchema> grid_elements();

}  // namespace pileus
