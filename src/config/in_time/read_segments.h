#pragma once
// Reads what an include says of a spectrum in time: the segments of samples that it is made of.

#include "config/config.h"
#include "config/element_reader.h"

namespace pileus {

/// Fills in the segments. REQUIRES: the stages have been read.
void read_segments(const ElementReader& include, FileIncludeConfig& out);

}  // namespace pileus
