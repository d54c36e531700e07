#pragma once
// Variables along a time axis alone, which are known when the file ends.

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "formats/netcdf/hdf5_file.h"

namespace pileus::netcdf {

struct Series {
  std::string name;
  std::variant<std::vector<std::int32_t>, std::vector<double>> numbers;  ///< one for each record
  std::vector<std::pair<std::string, std::string>> attributes;           ///< those without text are left out
};

/// Adds them along the axis of the variable. Errors: OutputError.
void add_series(const Hdf5File& file, const std::string& variable, const Series& series);

/// Bytes for what an audit adds.
std::uint64_t space_for_audit(std::size_t records);

}  // namespace pileus::netcdf
