#pragma once
// Files of GRIB, edition 2: the door of this folder.

#include <memory>
#include <string>

#include "disk/file_system.h"
#include "formats/format.h"

namespace pileus {

/// Makes a file with the messages of its static fields, to which messages of records are added.
/// REQUIRES: `files` outlives the writer. Errors: as FileFormat::create.
std::unique_ptr<FileWriter> create_grib(FileSystem& files, const std::string& path,
                                        const FileDefinition& definition);

/// See FileFormat::pack. Thread-safe.
PackedChunk pack_as_grib(std::span<const std::byte> chunk, ElementType type, const Compression& compression);

}  // namespace pileus
