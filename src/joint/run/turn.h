#pragma once
// Lets one process after the other make a component. The system ends a turn with its process, however that
// ends.

#include <string>

#include "state/checkpoint_folders.h"

namespace pileus {

class Turn {
 public:
  /// Waits until no other process has the turn, and says who has it. Where the file system knows no locks it
  /// says so and goes on. `patience_s`: how long it waits; 0: without end. Errors: UsageError.
  Turn(const CheckpointHome& home, double patience_s);
  ~Turn();
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  /// False if another process has it.
  bool try_to_take(const std::string& path) const;

  int descriptor_ = -1;
};

}  // namespace pileus
