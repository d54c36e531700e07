#pragma once
// <grid> by itself. Whether its names mean fields, and which dimensions these have, the Plan finds out.

#include <string>

#include "config/config.h"
#include "config/element_reader.h"

namespace pileus {

/// `scope`: the namespaces around the grid.
GridConfig read_grid(const ElementReader& element, std::string scope);

}  // namespace pileus
