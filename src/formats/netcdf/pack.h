#pragma once
// Compresses chunks as HDF5 would: what is sorted, then the codec, byte for byte. Pure functions; workers
// call them.

#include <cstddef>
#include <span>

#include "formats/format.h"

namespace pileus::netcdf {

/// Where the codec would make it longer it is left out, as HDF5 does.
PackedChunk pack(std::span<const std::byte> chunk, std::size_t element_size, const Compression& compression);

}  // namespace pileus::netcdf
