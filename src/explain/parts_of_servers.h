#pragma once
// Which parts servers write of a file, as a run without checkpoints does.

#include <vector>

#include "files/file_frames.h"
#include "formats/format.h"
#include "plan/plan.h"

namespace pileus::explain {

/// By server; without a name where it writes none. `records`: by axis. Chunks are left out.
std::vector<PartOfFile> parts_of_servers(const Plan& plan, const FileFormat& format, FilePeriod file,
                                         const std::vector<Index>& records);

}  // namespace pileus::explain
