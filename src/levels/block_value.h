#pragma once
// What becomes of a block of a coarser level.

#include <cstdint>

namespace pileus {

enum class BlockValue : std::uint8_t {
  mean,
  sum,       ///< of what adds up, such as areas
  longitude  ///< the mean of degrees, each taken as near to the block's first as it can be
};

}  // namespace pileus
