#pragma once
// Lets one process after the other make a component. The system ends a turn with its process, however that
// ends.

#include "state/checkpoint_folders.h"

namespace pileus {

class Turn {
 public:
  /// Waits until no other process has the turn. Where the file system knows no locks it says so and goes on.
  /// Errors: UsageError.
  explicit Turn(const CheckpointHome& home);
  ~Turn();
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace pileus
