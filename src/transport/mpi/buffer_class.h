#pragma once
// The sizes that buffers of messages have.

#include <bit>
#include <cstddef>

namespace pileus {

/// Of the buffer for so many bytes: the next number of the form (4, 5, 6 or 7) * 2^k, so that there are four
/// sizes for each power of two, or 256.
constexpr std::size_t buffer_class(std::size_t bytes) {
  constexpr std::size_t kSmallest = 256;
  if (bytes <= kSmallest) return kSmallest;
  const std::size_t unit = std::bit_floor(bytes - 1) / 4;
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace pileus
