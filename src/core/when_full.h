#pragma once
// What happens to an output file when the disk has no space for it even after a while of trying, and to its
// records when servers have no memory for them. The values are words of the configuration, and stand in the
// Plan.

#include <cstdint>
#include <string_view>

namespace pileus {

enum class WhenFull : std::uint8_t {
  wait,  ///< Pileus tries again as long as the run lasts
  skip,  ///< Pileus gives up the file of this write period and goes on with the next
  stop   ///< the run ends
};

constexpr std::string_view name(WhenFull policy) {
  return policy == WhenFull::wait ? "wait" : policy == WhenFull::skip ? "skip" : "stop";
}

/// While servers have no memory because they are behind.
enum class WhenMemoryFull : std::uint8_t {
  wait,   ///< every record is written, and the model waits for memory
  spill,  ///< every record is written; what the model hands over is laid aside on a local disk
  thin,   ///< every second record is left out
  drop    ///< every record is left out
};

constexpr std::string_view name(WhenMemoryFull policy) {
  switch (policy) {
    case WhenMemoryFull::wait: return "wait";
    case WhenMemoryFull::spill: return "spill";
    case WhenMemoryFull::thin: return "thin";
    case WhenMemoryFull::drop: break;
  }
  return "drop";
}

}  // namespace pileus
