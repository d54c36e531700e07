#pragma once
// Compresses chunks as HDF5 would: the shuffle and deflate filters, byte for byte. Pure functions; workers
// call them.

#include <cstddef>
#include <span>

#include "formats/format.h"

namespace pileus::netcdf {

/// The first bytes of all elements, then all second bytes, and so on; what is no whole element stays at the
/// end.
std::vector<std::byte> shuffled(std::span<const std::byte> bytes, std::size_t element_size);

/// Where deflate would need more space than HDF5 gives it, it is left out, as HDF5 does.
PackedChunk pack(std::span<const std::byte> chunk, std::size_t element_size, const Compression& compression);

}  // namespace pileus::netcdf
