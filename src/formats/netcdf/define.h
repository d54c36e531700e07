#pragma once
// Defines a netCDF-4 file with the netCDF library: dimensions, variables, attributes, coordinates, and no
// records.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "disk/file_system.h"
#include "formats/chunk_shape.h"
#include "formats/format.h"

namespace pileus::netcdf {

/// A variable that gains records.
struct RecordVariable {
  std::string name;              ///< as the library normalised it
  std::vector<Index> extents;    ///< of one record, fastest first
  std::size_t element_size = 0;  ///< bytes
  ChunkShape shape;
  std::vector<Region> regions;  ///< of the chunks of one record
  bool is_packed = false;       ///< compressed, or in parts: it has no place before its records are there
  bool is_in_parts = false;     ///< likewise, and they never are in this file
  bool may_repeat = false;      ///< some of these stand for later ones
  bool is_audited = false;
  std::string units = {};  ///< "" where it has none

  std::uint64_t record_bytes() const {
    return static_cast<std::uint64_t>(regions.front().size()) * element_size;
  }
  std::uint64_t chunk_bytes() const { return record_bytes() * static_cast<std::uint64_t>(shape.records); }
  /// How many chunks the first `records` records take.
  Index chunks(Index records) const {
    return (records + shape.records - 1) / shape.records * std::ssize(regions);
  }
};

/// The variables of one axis, in the order in which their records lie in the file.
struct AxisVariables {
  Index block_records = 1, first_records = 0;
  bool has_bounds = false;
  /// The time, its bounds where it has them, then those of the definition, by increasing index.
  std::vector<RecordVariable> variables;
  std::vector<std::uint32_t> indices;  ///< of those of the definition
};

/// What `define` made.
struct DefinedFile {
  std::vector<AxisVariables> axes;
  std::vector<std::uint64_t> static_offsets;  ///< of static variables that are not compressed, in their order
};

/// Errors: UsageError if the definition contradicts itself.
void check_definition(const FileDefinition& definition);

/// More bytes than a file without records has.
std::uint64_t space_for(const FileDefinition& definition);

/// Writes the definition over the file `path`, in space that it reserves. `largest_packed`: bytes of a
/// compressed chunk. REQUIRES: check_definition passed. Errors: OutputError, DiskFullError; the file is of no
/// use then.
DefinedFile define(const std::string& path, const FileDefinition& definition, Index largest_packed,
                   FileSystem& files);

}  // namespace pileus::netcdf
