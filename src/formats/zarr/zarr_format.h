#pragma once
// Stores of Zarr, version 3, that servers fill with positioned writes: the one door of this folder.

#include <memory>
#include <string>

#include "disk/file_system.h"
#include "formats/chunk_shape.h"
#include "formats/format.h"

namespace pileus {

/// Makes the folder of a new store, with its coordinates and no records. Chunks are those of packed_shape
/// with `largest_packed_bytes`. REQUIRES: `files` outlives the writer.
/// Errors: as FileFormat::create.
std::unique_ptr<FileWriter> create_zarr(FileSystem& files, const std::string& path,
                                        const FileDefinition& definition,
                                        Index largest_packed_bytes = kLargestPacked);

/// So many records lie in one shard. A record only stands for later ones of the same.
Index records_of_zarr_shard(const FileDefinition& definition, std::uint32_t axis);

}  // namespace pileus
