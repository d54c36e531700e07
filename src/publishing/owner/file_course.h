#pragma once
// How the jobs that are done for a file say how they ended. FileOwner decides what comes next.

#include "files/file_lane.h"

namespace pileus {

/// Calls come from the owner's strand.
class FileCourse {
 public:
  virtual ~FileCourse() = default;
  /// A change of the file has ended; it did not fail.
  virtual void changed(FilePeriod file) = 0;
  /// The file cannot be written: its writers are told, and it is given up when they have answered.
  virtual void fail(FilePeriod file, const DiskFailure& why) = 0;
  /// It cannot be published, or cannot be finished: no writer waits for it any more.
  virtual void lose(FilePeriod file, const DiskFailure& why) = 0;
  /// It has its name.
  virtual void published(FilePeriod file) = 0;
  /// It was read under its name for a checkpoint, which another file may take from here on.
  virtual void noted(FilePeriod file) = 0;
  /// Nothing of it is under way any more.
  virtual void forget(FilePeriod file) = 0;
};

}  // namespace pileus
