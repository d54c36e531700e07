#include "formats/chunk_shape.h"

#include <algorithm>

namespace pileus {
namespace {

constexpr Index kSmallRecord = Index{64} << 10;   // bytes
constexpr Index kLargestChunk = Index{16} << 20;  // bytes

Index divided_up(Index value, Index by) { return (value + by - 1) / by; }

/// Cuts a record along its slowest dimensions.
void cut(ChunkShape& shape, const std::vector<Index>& extents, Index bytes, Index largest) {
  for (auto d = static_cast<std::ptrdiff_t>(extents.size()) - 1; d >= 0 && bytes > largest; --d) {
    const Index slice_bytes = bytes / extents[d];
    const Index most = std::max<Index>(1, largest / slice_bytes);
    const Index pieces = divided_up(extents[d], most);
    shape.count[d] = divided_up(extents[d], pieces);
    bytes = slice_bytes * shape.count[d];
  }
}

}  // namespace

ChunkShape packed_shape(const std::vector<Index>& extents, std::size_t element_size, Index largest) {
  ChunkShape shape{1, extents};
  cut(shape, extents, Region{{}, extents}.size() * static_cast<Index>(element_size), largest);
  return shape;
}

ChunkShape packed_shape(const std::vector<Index>& extents, std::size_t element_size, Index largest,
                        const Compression& compression) {
  if (compression.together == 0) return packed_shape(extents, element_size, largest);
  ChunkShape shape{1, extents};
  for (auto d = static_cast<std::size_t>(compression.together); d < extents.size(); ++d) shape.count[d] = 1;
  return shape;
}

ChunkShape chunk_shape(const std::vector<Index>& extents, std::size_t element_size, Index block_records) {
  ChunkShape shape{1, extents};
  const Index bytes = Region{{}, extents}.size() * static_cast<Index>(element_size);
  if (bytes < kSmallRecord) {
    shape.records = std::min(block_records, kSmallRecord / bytes);
    return shape;
  }

  cut(shape, extents, bytes, kLargestChunk);
  return shape;
}

std::vector<Region> chunk_regions(const std::vector<Index>& extents, const ChunkShape& shape) {
  const std::size_t rank = extents.size();
  std::vector<Region> regions;
  Region region{std::vector<Index>(rank, 0), shape.count};
  for (;;) {
    regions.push_back(region);
    std::size_t d = 0;
    while (d < rank && (region.start[d] += shape.count[d]) >= extents[d]) region.start[d++] = 0;
    if (d == rank) return regions;
  }
}

}  // namespace pileus
