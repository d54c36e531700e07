#pragma once
// What a configuration says about how files are to be understood and stored: dimensions, the calendar, and
// how variables lie in a file.

#include "config/element_reader.h"

namespace pileus {

/// The attributes order, precision, significant_bits, deflate and shuffle, as far as the element has them.
StorageConfig read_storage(const ElementReader& element);
DimensionConfig read_dimension(const ElementReader& element);
TimeConfig read_time(const ElementReader& element);

}  // namespace pileus
