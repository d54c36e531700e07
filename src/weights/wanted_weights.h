#pragma once

#include <string>

namespace pileus {

/// One regridding whose weights are wanted. Variables are the fields that the configuration's grid names; ""
/// for none.
struct WantedWeights {
  std::string source, latitude, longitude, latitude_corners, longitude_corners, mask;
  std::string target_name;   ///< of the configuration's grid; "" if its description was written directly
  std::string target_cells;  ///< the description (target_grid.h)
  std::string target_file;   ///< or the file that has it; "" for none
  std::string method;        ///< conservative, bilinear, nearest or distance
};

}  // namespace pileus
