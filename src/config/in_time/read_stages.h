#pragma once
// Reads what an include says of time besides the output_frequency: chains, running windows, diurnal
// composites and the span of model time that counts.

#include "config/config.h"
#include "config/element_reader.h"

namespace pileus {

/// Fills in the manipulation with its stages. REQUIRES: the output_frequency has been read.
void read_stages(const ElementReader& include, FileIncludeConfig& out);
/// Fills in the parts of the day. REQUIRES: the stages have been read.
void read_diurnal(const ElementReader& include, FileIncludeConfig& out);
/// Fills in the span.
void read_span(const ElementReader& include, FileIncludeConfig& out);

}  // namespace pileus
