#pragma once
// Parts of one record to a compressed chunk. For workers; knows no file library.

#include <vector>

#include "files/value_layout.h"
#include "formats/format.h"
#include "time/record.h"

namespace pileus {

/// Brings what the parts hold of the chunk `region` (in the order of the file) into the layout of the file,
/// lays it together and compresses it. Elements past the extents are zero. REQUIRES: the parts cover the rest
/// of it.
PackedChunk pack_chunk(const FileFormat& format, const std::vector<Record>& parts, const ValueLayout& layout,
                       const Region& region, const Compression& compression);

}  // namespace pileus
