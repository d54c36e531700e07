#pragma once
// Objects in time as a contiguous ragged array (CF 1.11, section 9.3.3): one row for each object and time,
// those of one object together.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace pileus::netcdf {

/// What rows have, or objects.
struct TrackVariable {
  std::string name;
  std::map<std::string, std::string> attributes = {};  ///< units, long_name and the like, as they are
  std::vector<double> values = {};                     ///< NaN: none
};

struct TracksFile {
  std::vector<std::int64_t> identities;  ///< ascending
  std::vector<std::int64_t> row_sizes;   ///< by object: so many rows are its
  TrackVariable time;
  std::vector<TrackVariable> of_rows, of_objects;
  std::vector<std::string> coordinates;                ///< those of the rows that say where an object is
  std::map<std::string, std::string> attributes = {};  ///< of the file
};

/// The file is complete when it has its name. REQUIRES: there is an object, and each has a row.
/// Errors: OutputError.
void write_tracks(const std::string& path, const TracksFile& tracks);

}  // namespace pileus::netcdf
