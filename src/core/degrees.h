#pragma once
// Units of latitudes and longitudes, in all spellings of CF (CF 1.11, sections 4.1 and 4.2). Case does not
// count.

#include <optional>
#include <string>
#include <string_view>

namespace pileus {

/// What stands behind "degree" or "degrees": "" for an angle of any direction, "north", "n", "east", "west"
/// and the like; nothing if these are no degrees.
std::optional<std::string> direction_of_degrees(std::string_view units);

bool are_degrees_north(std::string_view units);
bool are_degrees_east(std::string_view units);

}  // namespace pileus
