#pragma once
// Variables with the latitude and longitude of cells that values were regridded to, where their dimensions do
// not say it: HEALPix, meshes, curvilinear grids.

#include <string>
#include <vector>

#include "layout/draft.h"

namespace pileus::planning {

/// Adds them to the file for all grids on which something of it lies, and names them in the coordinates of
/// that. `variables`: those of the file, with their names. `taken`: names that are others' there. They are
/// compressed as `storage` of the file says.
void add_target_places(const Draft& draft, PlannedFile& file, const std::vector<Variable*>& variables,
                       const std::vector<std::string>& taken, const StorageConfig& storage);

}  // namespace pileus::planning
