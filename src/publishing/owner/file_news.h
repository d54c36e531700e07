#pragma once
// The news of what becomes of files, for those who are not concerned with their making: the report, the
// events, the checkpoints.

#include <cstdint>
#include <vector>

#include "files/file_lane.h"
#include "files/published_file.h"
#include "state/state_entries.h"

namespace pileus {

class FileNews {
 public:
  virtual ~FileNews() = default;
  virtual void published(const PublishedFile& file) = 0;
  /// The file could not be written; said once.
  virtual void lost(FilePeriod file, const DiskFailure& why) = 0;
  /// Tells what the files of this owner were after a step that is kept. All that it needs is on the disk.
  virtual void kept(std::int64_t step, std::vector<StateEntry> entries) = 0;
};

}  // namespace pileus
