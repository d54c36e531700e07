#pragma once
// The filters of HDF5 by which readers undo what codecs do.

#include <cstddef>
#include <vector>

#include "codecs/codec.h"

namespace pileus::netcdf {

/// Makes the library know those that it does not bring. Once is enough; more do no harm.
/// Errors: OutputError if it does not take one.
void register_filters();

struct FilterOfChunk {
  int number = 0;  ///< as the HDF Group has registered it
  std::vector<unsigned> parameters;
};
/// The filters that a chunk of so many bytes comes through, in their order. REQUIRES: it is compressed.
std::vector<FilterOfChunk> filters_of(const Compression& compression, std::size_t element_size,
                                      std::size_t chunk_bytes);

/// Says of a variable that is being defined how its chunks are compressed; each has so many bytes. Returns
/// the library's status. REQUIRES: it is compressed; register_filters().
int define_filters(int file, int variable, const Compression& compression, std::size_t element_size,
                   std::size_t chunk_bytes);

}  // namespace pileus::netcdf
