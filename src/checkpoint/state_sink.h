#pragma once
// Where the state after a step goes: streams and publishing call it, checkpoints are behind it.

#include <cstdint>
#include <string>
#include <vector>

#include "state/state_entries.h"

namespace pileus {

class StateSink {
 public:
  /// Called once for each step with Step::is_checkpoint, with all that the caller has of the state after it,
  /// or with the reason why that cannot be kept. Thread-safe.
  virtual void keep(std::int64_t step, std::vector<StateEntry> entries, std::string error) = 0;

  virtual ~StateSink() = default;
};

}  // namespace pileus
