#pragma once
// A parcel as it came to the lane of its server, and how it is laid aside where it came too early.

#include <cstdint>
#include <functional>
#include <memory>

#include "analytics/local_analysis.h"
#include "spill/spill.h"
#include "streams/open_steps.h"

namespace pileus {

struct Arrival {
  Parcel parcel;
  /// That the parcel's arrays lie in, and what holds the step; null: it is never laid aside.
  std::shared_ptr<const Message> message;
  StepHold hold;
};

/// What is ahead of the clock is laid aside if it takes more than this.
struct Spilling {
  Spill& spill;
  std::uint64_t most_bytes_in_memory = 0;  ///< of each model rank
  /// Makes a parcel of a message that was laid aside, and was read or had not left the memory.
  std::function<Arrival(ClientRank, std::shared_ptr<const Message>, bool was_read)> arrival;
};

}  // namespace pileus
