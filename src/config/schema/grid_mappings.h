#pragma once
// The grid mappings of CF (conventions 1.11, section 5.6 and appendix F): their names, parameters and
// coordinates. The configuration takes these words and no others.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pileus {

enum class MappingValue : std::uint8_t {
  text,
  axis,         ///< x or y
  number,       ///< any
  positive,     ///< lengths in m, and factors
  latitude,     ///< degrees north, -90 to 90
  pole,         ///< degrees north, -90 or 90
  longitude,    ///< degrees east, from -180 to below 180
  parallels,    ///< one or two latitudes
  datum_shift,  ///< 3, 6 or 7 numbers
};

struct MappingParameter {
  std::string name;
  MappingValue value;
  std::string help;
};

struct GridMapping {
  std::string name;
  std::vector<std::vector<std::string>> needs;  ///< one of each
  std::vector<std::string> takes;               ///< may be left out
  std::string x, y;                             ///< standard names of its coordinates
  std::string units;                            ///< of these, as an example
};

/// All parameters. Those of the figure of the Earth and of names go with any mapping.
const std::vector<MappingParameter>& mapping_parameters();
const std::vector<GridMapping>& grid_mappings();
/// nullptr: there is none of this name.
const GridMapping* find_grid_mapping(std::string_view name);
/// Whether the mapping has this parameter.
bool takes_parameter(const GridMapping& mapping, const std::string& parameter);

}  // namespace pileus
