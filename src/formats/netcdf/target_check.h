#pragma once
// Whether weights lead to the grid that a configuration names: centres of cells, and for conservative weights
// their corners too, as others of the same centres have other weights.

#include <string>

#include "formats/format.h"

namespace pileus::netcdf {

/// Errors: UsageError where some points of the target lie elsewhere. A file that does not say where they lie
/// is believed. Places agree within 2e-4 degrees.
void check_target(const std::string& path, const GridsOfWeights& grids, Index first, Index count);

}  // namespace pileus::netcdf
