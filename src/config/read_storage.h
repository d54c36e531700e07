#pragma once
// Reads what a configuration says about the meaning and storage of files: dimensions, the calendar, and how
// variables lie in a file.

#include "config/element_reader.h"

namespace pileus {

/// Reads the attributes order, precision, significant_bits, deflate and shuffle, as far as the element has
/// them.
StorageConfig read_storage(const ElementReader& element);
DimensionConfig read_dimension(const ElementReader& element);
TimeConfig read_time(const ElementReader& element);

}  // namespace pileus
