#pragma once
// How long a classic netCDF file has to be. The netCDF library gives zeros, without an error, for what was
// cut off such a file; HDF5 files say that themselves.

#include <cstdint>
#include <string>

namespace pileus::netcdf {

/// Bytes up to the end of the last value that the header promises; 0 if the file has another format, or its
/// header is cut off or damaged, which the library reports.
std::uint64_t classic_length(const std::string& path);

}  // namespace pileus::netcdf
