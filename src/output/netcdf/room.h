#pragma once
// How many bytes new records take. It is known before HDF5 writes anything, because HDF5 gets lost, and takes
// the process with it at its end, when the disk is full.

#include <cstdint>

#include "output/netcdf/define.h"

namespace pileus::netcdf {

struct Room {
  std::uint64_t metadata_bytes = 0;  ///< the nodes of the trees that find chunks
  std::uint64_t total_bytes = 0;     ///< at most, with the chunks and what is lost between them
};

/// Of the records [first, first + count) of an axis that has room for `first`.
Room room_for(const AxisVariables& axis, Index first, Index count);

}  // namespace pileus::netcdf
