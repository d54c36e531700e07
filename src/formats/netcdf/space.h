#pragma once
// How many bytes new records take. It is known before HDF5 writes anything, because HDF5 gets lost, and takes
// the process with it at its end, when the disk is full.

#include <cstdint>
#include <span>

#include "formats/netcdf/define.h"

namespace pileus::netcdf {

struct Space {
  std::uint64_t metadata_bytes = 0;  ///< the nodes of the trees that find chunks
  std::uint64_t total_bytes = 0;     ///< at most, with the chunks and what is lost between them
};

/// Of one record of a compressed variable: at most so many bytes, however its tree grows.
std::uint64_t space_for_packed(const RecordVariable& variable, std::span<const PackedChunk> chunks,
                               const OnDisk& on_disk = {});

/// Of what is not compressed in the records [first, first + count) of an axis that has space for `first`.
Space space_for(const AxisVariables& axis, Index first, Index count, const OnDisk& on_disk = {});

}  // namespace pileus::netcdf
