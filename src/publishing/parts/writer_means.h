#pragma once
// What writers of parts work with, and whom they tell.

#include <vector>

#include "disk/file_system.h"
#include "exec/strand.h"
#include "files/file_frames.h"
#include "files/file_lane.h"
#include "formats/format.h"
#include "publishing/parts/own_pieces.h"

namespace pileus {

/// The means with which a writer of parts works. All outlive it.
struct WriterMeans {
  FileSystem& files;
  const FileFormat& format;
  Strand& home;               ///< of the writer itself
  Executor& workers;          ///< for what computes
  Executor& writers;          ///< for what blocks on the disk
  FullDisks* full = nullptr;  ///< null: nothing is tried again
};

/// Who is told of pieces that are written; on the strand.
class PiecesWritten {
 public:
  virtual ~PiecesWritten() = default;
  virtual void written(FilePeriod file, const std::vector<Piece>& pieces, const DiskFailure& failure) = 0;
  /// A chunk of the last record, which was no piece any more.
  virtual void late_written(FilePeriod file, const DiskFailure& failure) = 0;
};

}  // namespace pileus
