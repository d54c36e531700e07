#pragma once
// Every format of files, as one.

#include <memory>

#include "disk/file_system.h"
#include "formats/chunk_shape.h"
#include "formats/format.h"

namespace pileus {

/// Its files are of the format that their definition names. REQUIRES: `files` is a file system for which
/// folders are files (formats/folders), and outlives it; as netcdf_format.
std::unique_ptr<FileFormat> all_formats(FileSystem& files, Index largest_packed_bytes = kLargestPacked);

}  // namespace pileus
