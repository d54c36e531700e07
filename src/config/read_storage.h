#pragma once
// Reads what a configuration says about the meaning and storage of files: dimensions, the calendar, and how
// variables lie in a file.

#include "config/element_reader.h"

namespace pileus {

/// Reads the attributes order, precision, significant_bits, error, precision_from, write_if,
/// at_least_every, shuffle and those of codecs, as far as the element has them. What is wrong is reported.
StorageConfig read_storage(const ElementReader& element);
DimensionConfig read_dimension(const ElementReader& element);
TimeConfig read_time(const ElementReader& element);

}  // namespace pileus
