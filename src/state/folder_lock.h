#pragma once
// One live run has the checkpoints of a folder: it removes older ones and what attempts before have left, so
// that a second one would take away what the first one needs. The system gives the lock back when the process
// ends, however it does.

#include <filesystem>
#include <mutex>
#include <string>

namespace pileus {

class FolderLock {
 public:
  FolderLock() = default;
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  /// Takes the checkpoints below `directory` for the run, unless this has them already; makes their folder if
  /// there is none. Where the file system knows no locks it says so and goes on. Thread-safe.
  /// Errors: UsageError that says who has them.
  void take(const std::filesystem::path& directory, const std::string& run);

 private:
  std::mutex mutex_;  ///< guards the descriptor: checkpoints take it from a writer lane
  int descriptor_ = -1;
};

}  // namespace pileus
