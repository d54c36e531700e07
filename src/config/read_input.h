#pragma once
// <input> by itself. Whether there is such a file, the room inputs/declared finds out.

#include "config/config.h"
#include "config/element_reader.h"

namespace pileus {

InputConfig read_input(const ElementReader& element);

}  // namespace pileus
