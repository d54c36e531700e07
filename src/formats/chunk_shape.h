#pragma once
// How the records of a variable are cut into chunks, the pieces that lie together in the file. Pure
// arithmetic; nothing here knows the library.

#include <cstddef>
#include <vector>

#include "codecs/codec.h"
#include "core/region.h"

namespace pileus {

/// Of what is compressed, and of what readers of a record read at once: bytes.
inline constexpr Index kLargestPacked = Index{4} << 20;

/// A chunk holds `records` whole records, or a part of `count` elements of one.
struct ChunkShape {
  Index records = 1;
  std::vector<Index> count;  ///< fastest first; at most the extents

  friend bool operator==(const ChunkShape&, const ChunkShape&) = default;
};

/// A record below 64 KiB shares its chunk with others, as many as fit there and at most `block_records`; one
/// above 16 MiB is cut along its slowest dimensions into nearly equal chunks of at most that, as readers load
/// whole chunks. REQUIRES: extents and block_records >= 1.
ChunkShape chunk_shape(const std::vector<Index>& extents, std::size_t element_size, Index block_records);

/// For compressed variables: a record is cut along its slowest dimensions into nearly equal chunks of at most
/// `largest` bytes, so that several can be compressed at a time. REQUIRES: extents >= 1.
ChunkShape packed_shape(const std::vector<Index>& extents, std::size_t element_size, Index largest);

/// Of the chunks that a record of a compressed variable is cut into: packed_shape, unless so many dimensions
/// lie together.
ChunkShape packed_shape(const std::vector<Index>& extents, std::size_t element_size, Index largest,
                        const Compression& compression);

/// The chunks of one record, in the order of their first elements. The last in a dimension may reach past the
/// extents.
std::vector<Region> chunk_regions(const std::vector<Index>& extents, const ChunkShape& shape);

}  // namespace pileus
