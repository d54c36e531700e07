#pragma once
// Parts of one record to bytes at their places: cast to the file's type, neighbours merged, few large writes.

#include <vector>

#include "output/file_system.h"
#include "output/format.h"
#include "time/record.h"

namespace pileus {

/// Writes the parts at their places in the file. A part without a value becomes missing values.
/// Errors: OutputError of the file system.
void write_parts(PartFile& file, const RecordPlacement& placement, const std::vector<Record>& parts,
                 ElementType type);

/// `array` as numbers of `type`; shares the bytes where the type is already right.
Array cast_to(const Array& array, ElementType type);

}  // namespace pileus
