#pragma once
// Files of weights as other tools make them: CDO (SCRIP), ESMF and YAC. They are read in pieces, so that a
// server needs memory for its own rows alone. One thread at a time, as for all that calls the netCDF library.

#include <string>
#include <vector>

#include "weights/weight_rows.h"

namespace pileus {

/// Places of points, in degrees; both empty if the file has none.
struct Centres {
  std::vector<double> latitude, longitude;
};

struct Cells {
  Centres centres;
  Index corners = 0;                                      ///< of each cell; 0 if the file has none
  std::vector<double> corner_latitude, corner_longitude;  ///< degrees; those of one cell after the other
  std::vector<double> area;                               ///< square radians; empty if the file has none
};

/// Errors, of all these functions: UsageError "FILE: …" if it is no file of weights that Pileus reads, if its
/// sizes contradict each other or an address is of no point, and for kinds of weights that are no matrix:
/// several weights for each link (second order, bicubic), several source fields, fixed values.
WeightsHead read_weights_head(const std::string& path);

/// The rows of the target points [first, first + count).
WeightRows read_weight_rows(const std::string& path, Index first, Index count);

/// Of source points [first, first + count).
Centres read_source_centres(const std::string& path, Index first, Index count);

/// Of target points [first, first + count).
Cells read_target_cells(const std::string& path, Index first, Index count);

}  // namespace pileus
