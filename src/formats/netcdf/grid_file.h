#pragma once
// Grids that values are regridded to, as files have them: CF (latitude and longitude over one dimension each,
// over two, or over one together), SCRIP, and the faces of a UGRID mesh. One thread at a time, as for all
// that calls the netCDF library.

#include <string>

#include "core/regridding.h"

namespace pileus {

/// Errors: UsageError "FILE: …" if it is not there, no netCDF, or has no such grid.
GridOfFile read_grid_file(const std::string& path);

/// Goes through all cells. Errors: UsageError that names the first one that lies nowhere, or beyond a pole.
void check_cells(const GridOfFile& grid, const std::string& path);

/// Both: for tools, not for each server of a run.
GridOfFile read_and_check_grid(const std::string& path);

}  // namespace pileus
