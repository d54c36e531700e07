#pragma once
// A netCDF file that inputs are read from: its time axis as CF describes it, and boxes of its records.

#include <memory>
#include <string>

#include "inputs/source.h"

namespace pileus {

/// Errors: UsageError "FILE: …".
std::unique_ptr<InputSource> open_netcdf_input(const std::string& path);

}  // namespace pileus
