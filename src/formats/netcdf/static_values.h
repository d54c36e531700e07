#pragma once
// Writes the values of variables without a time axis into a file that is defined: those that are not
// compressed where HDF5 has made space for them, large compressed ones chunk by chunk. So no more than a
// chunk of them is in memory.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "disk/file_system.h"
#include "formats/format.h"

namespace pileus::netcdf {

/// Scalars are never compressed.
bool is_compressed(const FileStatic& one);

/// Small values that are compressed are part of the definition: HDF5 does not bear to fail at them.
bool is_in_definition(const FileStatic& one);

/// All values in memory. REQUIRES: they are few.
std::vector<std::byte> all_of(const FileStatic& one);

/// Writes all that are not in the definition. `names`: as the library normalised them. Returns where those
/// lie that are not compressed, in their order. REQUIRES: there is space. Errors: OutputError, DiskFullError.
std::vector<std::uint64_t> write_static_values(const std::string& path,
                                               const std::vector<FileStatic>& statics,
                                               const std::vector<std::string>& names, FileSystem& files,
                                               const OnDisk& on_disk = {});

/// Writes those that are not compressed at these offsets.
void write_plain_values(const std::string& path, const std::vector<FileStatic>& statics,
                        std::span<const std::uint64_t> offsets, FileSystem& files);

}  // namespace pileus::netcdf
