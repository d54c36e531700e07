#pragma once
// Parts of one record to compressed chunks. For workers; knows no file library.

#include <vector>

#include "output/file_form.h"
#include "output/format.h"
#include "time/record.h"

namespace pileus {

/// One chunk after the other: brought into the form of the file, laid together, compressed. What lies past the
/// extents is zero. REQUIRES: the parts cover the extents (in the order of the file).
std::vector<PackedChunk> pack_record(const FileFormat& format, const std::vector<Record>& parts,
                                     const FileForm& form, const std::vector<Index>& extents,
                                     const Compression& compression);

}  // namespace pileus
