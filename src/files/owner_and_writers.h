#pragma once
// The two sides of a file that is being written: the server that owns it, and those that write parts of it.
// Each knows the other by these calls alone, wherever it is.

#include "files/file_frames.h"

namespace pileus {

/// What the owner of a file tells all who write parts of it, its own server included.
/// Order: each writer hears it in the order of the calls, and never before the call has returned.
class FileWriters {
 public:
  virtual ~FileWriters() = default;
  virtual void place(const Placement& placement) = 0;
  virtual void progress(const Progress& progress) = 0;
  virtual void close(const Closing& closing) = 0;
  virtual void cut(const Cut& cut) = 0;
};

/// What a writer tells the owner of the file. Order: as above.
class FileOwners {
 public:
  virtual ~FileOwners() = default;
  virtual void parts_done(PartsDone done) = 0;
  virtual void cut_synced(CutSynced synced) = 0;
  virtual void packed(PackedPart part) = 0;
};

}  // namespace pileus
