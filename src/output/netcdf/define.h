#pragma once
// Defines a netCDF-4 file with the netCDF library: dimensions, variables, attributes, coordinates, and no
// records.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "output/format.h"
#include "output/netcdf/chunk_shape.h"

namespace pileus::netcdf {

/// A variable that gains records.
struct RecordVariable {
  std::string name;              ///< as the library normalised it
  std::vector<Index> extents;    ///< of one record, fastest first
  std::size_t element_size = 0;  ///< bytes
  ChunkShape shape;
  std::vector<Region> regions;  ///< of the chunks of one record

  std::uint64_t record_bytes() const {
    return static_cast<std::uint64_t>(regions.front().size()) * element_size;
  }
  /// How many chunks lie one after another in the first `records` records, times those that make up one
  /// record.
  Index chunks(Index records) const {
    return (records + shape.records - 1) / shape.records * std::ssize(regions);
  }
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

/// A file without records.
struct DefinedFile {
  std::vector<std::byte> image;  ///< its bytes; zeros may follow them
  std::vector<AxisVariables> axes;
};

/// Defines in memory: the library gets lost when a disk is full. `path` is for messages.
/// REQUIRES: check_definition passed. Errors: OutputError.
DefinedFile define(const std::string& path, const FileDefinition& definition);

}  // namespace pileus::netcdf
