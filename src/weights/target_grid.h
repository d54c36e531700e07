#pragma once
// Grids that values are regridded to, by their descriptions: CDO's names, or bounds and step of longitude and
// latitude. CDO makes the weights, so these are the grids that it makes of the same names.

#include <string>
#include <string_view>
#include <vector>

#include "core/extents.h"
#include "core/regridding.h"

namespace pileus {

struct TargetDimension {
  std::string name;
  Index size = 0;
  std::vector<double> values;  ///< degrees, of the centres of cells; empty for cells that are only counted
  std::vector<double> bounds;  ///< two for each value, in the order of the values
};

struct TargetGrid {
  enum class Kind { lonlat, gaussian, healpix };

  Kind kind = Kind::lonlat;
  std::string cells;                        ///< the description, without blanks
  std::vector<TargetDimension> dimensions;  ///< fastest first: lon and lat, or cell
  Index gaussian_number = 0;                ///< latitudes between a pole and the equator; 0 if not Gaussian
  Index nside = 0;                          ///< of HEALPix: cells along the side of one of 12 base cells
  bool is_nested = false;                   ///< the order of HEALPix; otherwise ring by ring
  std::shared_ptr<const PlacesOfCells> places = {};  ///< of HEALPix; null where dimensions say it

  Index size() const;
};

/// `r360x180`: longitudes from 0, latitudes from south to north; an odd number of latitudes has the poles.
/// `F32`: 4*32 longitudes from 0, 2*32 Gaussian latitudes from north to south.
/// `hp32`, `hp32_ring`, `hp32_nest`: HEALPix, 12*32*32 cells.
/// `lon=-10:30:0.5, lat=35:70:0.5`: cells between the bounds; the first centre is at -9.75. A negative step
/// goes from north to south.
/// Errors: UsageError that says what is wrong with the description.
TargetGrid read_target_grid(std::string_view description);

/// The dimension of longitudes, or of latitudes, as files describe it. REQUIRES: it has values.
RegridDimension axis_in_degrees(const TargetDimension& axis, bool is_longitude);

/// The grid as a description that CDO reads from a file. REQUIRES: it is no HEALPix grid, which CDO knows by
/// its name alone.
std::string cdo_description(const TargetGrid& grid);

/// The name of a file of weights, of the names of a source grid and of a target grid or its description.
std::string weights_file_name(std::string_view source, std::string_view target, std::string_view method);

}  // namespace pileus
