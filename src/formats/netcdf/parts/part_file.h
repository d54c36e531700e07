#pragma once
// What makes an HDF5 file of the part of a server. Its data lie where the server wrote them, one behind the
// other, so that nothing has to be known before they come; a superblock, a group and the indices of chunks
// follow (HDF5 File Format Specification, version 2.0: superblock 0, version 1 B-trees and object headers,
// which every HDF5 reads). The library is not asked: it puts data where it likes, and only one thread may
// call it.

#include <cstdint>
#include <span>
#include <vector>

#include "formats/parts.h"

namespace pileus::netcdf {

/// REQUIRES: the part has `size_bytes` bytes. Thread-safe.
EndOfPart end_of_part(const PartOfFile& part, const std::vector<PartVariable>& variables,
                      std::uint64_t size_bytes);

/// How many chunks these first kHeadOfPart bytes say that it has; 0: it is no file yet.
std::uint64_t chunks_in_part(std::span<const std::byte> head);

}  // namespace pileus::netcdf
