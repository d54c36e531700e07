#include "formats/netcdf/space.h"

#include <algorithm>

#include "formats/netcdf/hdf5_file.h"

namespace pileus::netcdf {
namespace {

/// A node points to at most 64 chunks (HDF5 file format, version 1 B-trees, with the default K of 32). Chunks
/// that come in order leave nodes nine tenths full.
constexpr Index kNodeChunks = 64, kChunksOfFullNode = 50;

constexpr std::uint64_t kPerOpening = 16384;  // bytes that each opening may lose

Index nodes(Index chunks) {
  if (chunks == 0) return 0;
  return chunks <= kNodeChunks ? 1 : 3 + chunks / kChunksOfFullNode;
}

/// A key holds a size, a filter mask and an offset along each dimension, the record and the bytes of an
/// element.
std::uint64_t node_bytes(const RecordVariable& variable) {
  const std::uint64_t key = 8 + 8 * (variable.extents.size() + 2);
  return 24 + 8 * kNodeChunks + (kNodeChunks + 1) * key;
}

/// The gap before a chunk that is aligned is smaller than what it is aligned to.
std::uint64_t with_gap(std::uint64_t chunk_bytes, const OnDisk& on_disk) {
  const bool is_aligned = chunk_bytes >= static_cast<std::uint64_t>(on_disk.aligned_from());
  return chunk_bytes + (is_aligned ? static_cast<std::uint64_t>(on_disk.alignment()) : 0);
}

}  // namespace

std::uint64_t space_for_packed(const RecordVariable& variable, std::span<const PackedChunk> chunks,
                               const OnDisk& on_disk) {
  // Each chunk may split a node of the tree at every level.
  std::uint64_t bytes = kPerOpening + 4 * node_bytes(variable);
  for (const PackedChunk& chunk : chunks)
    bytes += with_gap(chunk.bytes.size(), on_disk) + 2 * node_bytes(variable);
  return bytes;
}

Space space_for(const AxisVariables& axis, Index first, Index count, const OnDisk& on_disk) {
  Space space;
  for (const RecordVariable& variable : axis.variables) {
    if (variable.is_packed) continue;
    const Index before = variable.chunks(first), after = variable.chunks(first + count);
    space.metadata_bytes += static_cast<std::uint64_t>(nodes(after) - nodes(before)) * node_bytes(variable);
    space.total_bytes +=
        static_cast<std::uint64_t>(after - before) * with_gap(variable.chunk_bytes(), on_disk);
  }
  // Where the estimate of the metadata falls short, HDF5 takes as much again.
  space.total_bytes +=
      2 * (space.metadata_bytes + static_cast<std::uint64_t>(on_disk.alignment())) + kPerOpening;
  return space;
}

}  // namespace pileus::netcdf
