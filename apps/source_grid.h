#pragma once
// The source grid of a regridding: what the configuration names, and what a netCDF file has of it.

#include <string>

#include "config/config.h"
#include "weights/source_grid.h"
#include "weights/wanted_weights.h"

namespace pileus::apps {

/// Errors: UsageError if the configuration has no such grid, or it does not say where its points lie.
WantedWeights weights_from(const Config& config, const std::string& from, const std::string& to,
                           const std::string& method);

/// Reads and checks the source grid; corners only if `needs_corners`. Errors: UsageError that names the file,
/// the variable and the first point that is wrong.
SourceGrid read_source_grid(const std::string& file, const WantedWeights& wanted, bool needs_corners);

}  // namespace pileus::apps
