#pragma once
// The values of a chunk of a variable whose values are read piece by piece.

#include <cstddef>
#include <vector>

#include "core/byte_source.h"
#include "core/region.h"

namespace pileus {

/// The elements of a chunk, dense, with zeros beyond the extents. Errors: those of reading.
std::vector<std::byte> values_in(const ByteSource& values, const std::vector<Index>& extents,
                                 const Region& chunk, std::size_t element_size);

}  // namespace pileus
