#pragma once
// Tables of stations, as text with a line for each: names, where they lie and, if it is there, how high.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/regridding.h"

namespace pileus {

struct StationTable {
  std::vector<std::string> names;
  std::vector<double> y, x;      ///< in the units of the table; of latitude and longitude degrees
  std::vector<double> altitude;  ///< m above the sea; empty if no column has it
};

/// Reads a table whose first line names its columns: `name` (or station, station_name, id), what `y_name`
/// says (or latitude, lat, y), what `x_name` says (or longitude, lon, x) and perhaps `altitude` (or alt,
/// elevation, height); of several the one that comes first here. Others are passed over, and so are lines
/// that are empty or begin with "#". Commas, semicolons or tabs divide columns, the first of them that is in
/// the first line; texts may stand in double quotes.
/// Errors: UsageError that names the line. On a plane latitudes and
/// longitudes are none of these.
StationTable read_station_table(std::string_view text, std::string_view y_name = "",
                                std::string_view x_name = "", bool is_on_sphere = true);

/// Where stations lie, and what they are called: variables whose names begin with `prefix`. A table without
/// names, or without altitudes, has no variable of them.
std::shared_ptr<PlacesOfCells> places_of_stations(const std::string& prefix, StationTable table);

/// A file with such a table, as a grid of unconnected points. Errors: UsageError "FILE: …".
GridOfFile read_station_grid(const std::string& path);

}  // namespace pileus
