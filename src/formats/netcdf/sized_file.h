#pragma once
// What is asked of the system about a file beside reading and writing it. Errors: OutputError,
// DiskFullError.

#include <cstdint>
#include <string>

#include "formats/kinds/on_disk.h"

namespace pileus::netcdf {

/// The system says better than the library why a file cannot be made. With the stripes that are wanted.
void make_empty_file(const std::string& path, const OnDisk& on_disk);

std::uint64_t size_of(const std::string& path);

/// What is new reads as 0; what was reserved beyond the end goes.
void set_size(const std::string& path, std::uint64_t bytes);

/// What was reserved and not used.
void give_back_beyond_end(const std::string& path);

}  // namespace pileus::netcdf
