#pragma once
// Parts of one record to bytes at their places: brought into the form of the file, neighbours merged, few
// large writes.

#include <vector>

#include "disk/file_system.h"
#include "files/file_form.h"
#include "formats/format.h"
#include "time/record.h"

namespace pileus {

/// Writes the parts at their places in the file. What has to be converted is, a few MiB at a time.
/// Errors: OutputError of the file system.
void write_parts(PartFile& file, const RecordPlacement& placement, const std::vector<Record>& parts,
                 const FileForm& form);

}  // namespace pileus
