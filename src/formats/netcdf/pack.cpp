#include "formats/netcdf/pack.h"

#include "codecs/coding/coding.h"

namespace pileus::netcdf {

PackedChunk pack(std::span<const std::byte> chunk, std::size_t element_size, const Compression& compression) {
  std::vector<std::byte> sorted;
  const bool is_sorted_before =
      compression.shuffle == Shuffle::bytes && compression.codec != &codecs::blosc();
  if (is_sorted_before) {
    sorted = codecs::shuffled(chunk, element_size);
    chunk = sorted;
  }
  auto packed = codecs::encoded(chunk, element_size, compression);
  if (packed) return {std::move(*packed), 0};
  // The codec is the last filter.
  return {std::vector<std::byte>(chunk.begin(), chunk.end()), is_sorted_before ? 2U : 1U};
}

}  // namespace pileus::netcdf
