#pragma once
// Reads how a file lies on the disk: the size of a write, alignment, stripes, and one file or parts.

#include "config/element_reader.h"

namespace pileus {

/// REQUIRES: the format of the file is read. What is wrong is reported.
void read_on_disk(const ElementReader& element, FileConfig& file);

}  // namespace pileus
