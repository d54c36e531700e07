#pragma once
// NetCDF-4 files that servers fill with positioned writes, without a parallel library. The one door of this
// folder: netCDF and HDF5 are included nowhere else.

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "disk/file_system.h"
#include "formats/chunk_shape.h"
#include "formats/format.h"

namespace pileus {

/// The format of ".nc" files. An axis is an unlimited dimension, with a coordinate variable of its name and,
/// where it has bounds, a variable NAME_bnds over the dimension "bnds". REQUIRES: `files` outlives the format
/// and its writers; create, grow and finish of all files are called one at a time, as the library bears no
/// two threads.
/// `largest_packed_bytes`: of what is compressed at once.
std::unique_ptr<FileFormat> netcdf_format(FileSystem& files, Index largest_packed_bytes = kLargestPacked);

/// HDF5 gives memory back that it has freed. It would keep some 20 MiB in lists of its own, by sizes, where
/// nobody else finds it. For a process that does nothing else but serve: a model may share the library.
void keep_no_freed_memory();

/// Names and versions, one a library.
std::vector<std::string> file_library_versions();

/// An address within netCDF and one within HDF5, to find out which libraries are called.
std::array<const void*, 2> file_library_addresses();

}  // namespace pileus
