#pragma once
// A grid that values come from, as the tools that make weights need it.

#include <cstdint>
#include <vector>

#include "core/extents.h"

namespace pileus {

struct SourceGrid {
  std::vector<Index> dims;                                ///< fastest first: one of cells, or two
  std::vector<double> latitude, longitude;                ///< degrees, of each point
  Index corners = 0;                                      ///< of each cell; 0 if they are not known
  std::vector<double> corner_latitude, corner_longitude;  ///< degrees; those of one cell after the other
  std::vector<std::uint8_t> mask;  ///< 1 for points with values; empty if all have them

  Index size() const { return static_cast<Index>(latitude.size()); }
  bool is_structured() const { return dims.size() == 2; }
};

}  // namespace pileus
