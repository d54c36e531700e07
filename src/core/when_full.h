#pragma once
// What happens to an output file when the disk has no space for it even after a while of trying. The value is
// a word of the configuration, and stands in the Plan.

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

}  // namespace pileus
