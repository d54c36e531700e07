#pragma once
// The elements for files as CMIP wants them.

#include <vector>

#include "config/schema/schema.h"

namespace pileus {

std::vector<ElementSchema> cmip_elements();

}  // namespace pileus
