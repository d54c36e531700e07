#pragma once
// The faces of a UGRID mesh, as a grid that values are regridded to.

#include <string>

#include "core/regridding.h"
#include "formats/netcdf/input_file.h"

namespace pileus::netcdf {

/// The variable that describes a mesh; "" where there is none.
std::string mesh_of(const InputFile& file);

/// Faces with fewer corners than others have their last one several times. Without coordinates of their own
/// they lie in the middle of their corners. Errors: UsageError.
GridOfFile mesh_faces(const InputFile& file, const std::string& mesh);

}  // namespace pileus::netcdf
