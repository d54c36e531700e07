#pragma once
// The elements for named conditions and statistics under them.

#include <vector>

#include "config/schema/schema.h"

namespace pileus {

std::vector<ElementSchema> statistics_elements();

}  // namespace pileus
