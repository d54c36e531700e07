#pragma once
// Ensures that only one live run uses the checkpoints of a folder. A run removes older checkpoints and the
// remains of earlier attempts, so that a second run would take away what the first one needs. The system
// gives the lock back when the process ends, however it does.

#include <mutex>
#include <string>

#include "state/checkpoint_folders.h"

namespace pileus {

class FolderLock {
 public:
  FolderLock() = default;
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  /// Locks the checkpoints of `home` for the run, unless this object has done so already; makes their
  /// folder if there is none. If the file system knows no locks it says so and goes on. Thread-safe.
  /// Errors: UsageError that names the run which has them.
  void take(const CheckpointHome& home, const std::string& run);

 private:
  std::mutex mutex_;  ///< guards the descriptor: checkpoints take it from a writer lane
  int descriptor_ = -1;
};

}  // namespace pileus
