#pragma once
// Parts of one record to bytes at their places: brought into the layout of the file, neighbours merged, few
// large writes.

#include <vector>

#include "disk/file_system.h"
#include "files/value_layout.h"
#include "formats/format.h"
#include "time/record.h"

namespace pileus {

/// The parts of one record of a variable, and where it lies in the file.
struct PlacedParts {
  const RecordPlacement& placement;
  const std::vector<Record>& parts;
  const ValueLayout& layout;
};

/// Writes the parts where their records lie in the file; what lies next to each other, of whichever record,
/// is one write of up to 1 MiB. What has to be converted is, a few MiB at a time.
/// Errors: OutputError of the file system.
void write_parts(PartFile& file, const std::vector<PlacedParts>& records);

}  // namespace pileus
