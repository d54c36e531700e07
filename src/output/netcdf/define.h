#pragma once
// Defines a netCDF-4 file with the netCDF library: dimensions, variables, attributes, coordinates, and no
// records.

#include <string>
#include <vector>

#include "output/format.h"
#include "output/netcdf/chunk_shape.h"

namespace pileus::netcdf {

/// A variable that gains records.
struct RecordVariable {
  std::string name;            ///< as the library normalised it
  std::vector<Index> extents;  ///< of one record, fastest first
  ChunkShape shape;
};

/// The variables of one axis, in the order in which their records lie in the file.
struct AxisVariables {
  Index block_records = 1;
  bool has_bounds = false;
  std::vector<RecordVariable>
      variables;                       ///< time, its bounds where it has them, then those of the definition
  std::vector<std::uint32_t> indices;  ///< of the latter in the definition
};

/// Errors: UsageError if the definition contradicts itself.
void check_definition(const FileDefinition& definition);

/// Writes the definition over the file `path`.
/// REQUIRES: check_definition passed. Errors: OutputError.
std::vector<AxisVariables> define(const std::string& path, const FileDefinition& definition);

}  // namespace pileus::netcdf
