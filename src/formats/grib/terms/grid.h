#pragma once
// The plane of a message: which template of GRIB it has, and what that says.

#include <string>
#include <utility>
#include <vector>

#include "formats/format.h"

namespace pileus::grib {

/// Keys of ecCodes, in the order in which they are set.
struct GridKeys {
  static constexpr long kMissing = -1;  ///< as a value: it is not given
  std::vector<std::pair<std::string, long>> numbers;
  std::vector<long> points_of_rows = {};  ///< of a reduced grid
};

/// Of the dimensions that lie together, fastest first. Longitudes and latitudes at equal distances are a
/// regular grid; with latitudes of Gauss a Gaussian one; points of one dimension whose places are rows of
/// such latitudes a reduced one. All else are points whose places the file does not have.
GridKeys grid_of(const FileDefinition& definition, const std::vector<std::uint32_t>& plane);

}  // namespace pileus::grib
