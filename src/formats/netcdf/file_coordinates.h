#pragma once
// Latitudes and longitudes in files that others wrote: which variables they are, and in which units.

#include <string>
#include <vector>

#include "formats/netcdf/input_file.h"

namespace pileus::netcdf {

/// Whether a variable says so by its standard name, or else by units with a direction (CF 1.11, section 4.1).
bool is_latitude(const InputFile& file, const std::string& variable);
bool is_longitude(const InputFile& file, const std::string& variable);

/// What values are multiplied with to be degrees. A variable without units has those of `others`.
/// Errors: UsageError if they are no degrees and no radians, or lead to the west or south.
double degrees_of(const InputFile& file, const std::string& variable, const std::string& others = "");

std::vector<double> in_degrees(std::vector<double> values, double factor);

}  // namespace pileus::netcdf
