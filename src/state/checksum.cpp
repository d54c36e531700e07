#include "state/checksum.h"

#include <zlib.h>

#include <algorithm>

namespace pileus {

std::uint32_t checksum(std::span<const std::byte> bytes, std::uint32_t before) {
  uLong sum = before;
  while (!bytes.empty()) {
    const std::size_t count = std::min<std::size_t>(bytes.size(), 1U << 30);
    sum = crc32(sum, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(count));
    bytes = bytes.subspan(count);
  }
  return static_cast<std::uint32_t>(sum);
}

}  // namespace pileus
