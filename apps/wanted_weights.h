#pragma once
// One regridding whose weights are wanted, and the source grid that it needs, as a netCDF file has it.

#include <string>

#include "config/config.h"
#include "weights/source_grid.h"

namespace pileus::apps {

/// Names of variables are those of the fields that the configuration's grid names; "" for none.
struct WantedWeights {
  std::string source, latitude, longitude, latitude_corners, longitude_corners, mask;
  std::string target_name, target_cells, method;
};

/// Errors: UsageError if the configuration has no such grid, or it does not say where its points lie.
WantedWeights wanted_weights(const Config& config, const std::string& from, const std::string& to,
                             const std::string& method);

/// Reads and checks the source grid; corners only if `needs_corners`. Errors: UsageError that names the file,
/// the variable and the first point that is wrong.
SourceGrid read_source_grid(const std::string& file, const WantedWeights& wanted, bool needs_corners);

}  // namespace pileus::apps
