#pragma once
// What becomes of an output file when the disk has no room for it, though it was tried for a while. A word of
// the configuration, and of the Plan.

#include <cstdint>
#include <string_view>

namespace pileus {

enum class WhenFull : std::uint8_t {
  wait,  ///< it is tried as long as the run lasts
  skip,  ///< the file of this write period is given up, and those after it go on
  stop   ///< the run ends
};

constexpr std::string_view name(WhenFull policy) {
  return policy == WhenFull::wait ? "wait" : policy == WhenFull::skip ? "skip" : "stop";
}

}  // namespace pileus
