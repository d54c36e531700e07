#pragma once
// The index of a shard: where each of its chunks lies, with a checksum. Source: the codec sharding_indexed of
// Zarr version 3.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pileus::zarr {

/// Of a chunk in its shard; as it is made, a chunk that is not there.
struct ChunkPlace {
  std::uint64_t offset = UINT64_MAX, length = UINT64_MAX;  ///< bytes
  friend bool operator==(const ChunkPlace&, const ChunkPlace&) = default;
};

/// Its bytes, the checksum at their end.
std::vector<std::byte> encoded_index(const std::vector<ChunkPlace>& chunks);

/// The way back, without a look at the checksum.
std::vector<ChunkPlace> decoded_index(const std::vector<std::byte>& bytes);

/// The polynomial of Castagnoli, as in iSCSI (RFC 3720, B.4).
std::uint32_t crc32c(const std::vector<std::byte>& bytes);

}  // namespace pileus::zarr
