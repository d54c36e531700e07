#include <cassert>
#include <cstdio>
#include <tuple>

#include "weights/target_grid.h"

namespace pileus {
namespace {

/// CDO refuses lines that are too long.
constexpr std::size_t kNumbersInALine = 4;

std::string numbers_text(const char* name, const std::vector<double>& numbers) {
  std::string text = std::string(name) + " =";
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    char number[32];
    std::snprintf(number, sizeof number, " %.17g", numbers[i]);
    if (i > 0 && i % kNumbersInALine == 0) text += "\n ";
    text += number;
  }
  return text + "\n";
}

}  // namespace

std::string cdo_description(const TargetGrid& grid) {
  assert(grid.dimensions.size() == 2);
  const TargetDimension &lon = grid.dimensions[0], &lat = grid.dimensions[1];
  const bool is_gaussian = grid.kind == TargetGrid::Kind::gaussian;
  std::string text = is_gaussian ? "gridtype = gaussian\n" : "gridtype = lonlat\n";
  if (is_gaussian) text += "numLPE = " + std::to_string(grid.gaussian_number) + "\n";
  text += "xsize = " + std::to_string(lon.size) + "\nysize = " + std::to_string(lat.size) +
          "\nxunits = \"degrees_east\"\nyunits = \"degrees_north\"\n";
  for (const auto& [axis, values, bounds] :
       {std::tuple(&lon, "xvals", "xbounds"), {&lat, "yvals", "ybounds"}}) {
    text += numbers_text(values, axis->values);
    if (!axis->bounds.empty()) text += numbers_text(bounds, axis->bounds);
  }
  return text;
}

}  // namespace pileus
