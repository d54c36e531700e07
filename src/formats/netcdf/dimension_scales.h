#pragma once
// Says in a netCDF-4 file which dimensions its variables have, as HDF5's dimension scales do. The library
// says it variable by variable, and rewrites the list of each dimension for each of them, which costs the
// square of the number of variables.

#include <string>
#include <vector>

namespace pileus::netcdf {

/// A variable and its dimensions, slowest first. Names as the library wrote them.
struct ScaledVariable {
  std::string name;
  std::vector<std::string> dimensions;
  /// A dimension of the same name has its coordinates: it is one itself.
  bool is_scale() const { return !dimensions.empty() && dimensions.front() == name; }
};

/// REQUIRES: netCDF has the file at `path` open, with all dimensions and variables written and none of these
/// said; the variables have dimensions. Errors: OutputError, DiskFullError.
void attach_scales(const std::string& path, const std::vector<ScaledVariable>& variables);

}  // namespace pileus::netcdf
