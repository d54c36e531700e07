#pragma once
// <grid_mapping>, with the parameters that CF has for it.

#include <string>

#include "config/config.h"
#include "config/element_reader.h"

namespace pileus {

/// `scope`: the namespaces around it. Errors: parameters that it lacks or does not have, and numbers that CF
/// does not allow.
MappingConfig read_mapping(const ElementReader& element, std::string scope);

}  // namespace pileus
