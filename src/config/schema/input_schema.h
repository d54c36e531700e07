#pragma once
// The elements for what servers read for the model.

#include <vector>

#include "config/schema/schema.h"

namespace pileus {

/// They stand in the table as any other.
std::vector<ElementSchema> input_elements();

}  // namespace pileus
