#include "formats/netcdf/file_coordinates.h"

#include <algorithm>
#include <array>
#include <numbers>
#include <string_view>
#include <utility>

namespace pileus::netcdf {
namespace {

std::string units_of(const InputFile& file, const std::string& variable) {
  std::string units = file.text(variable, "units");
  while (!units.empty() && units.back() == ' ') units.pop_back();
  std::ranges::transform(units, units.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return units;
}

/// What follows "degree" or "degrees", with or without a line between: "" or a direction.
std::optional<std::string_view> behind_degrees(std::string_view units) {
  if (units == "deg") return "";
  if (!units.starts_with("degree")) return std::nullopt;
  units.remove_prefix(6);
  if (units.starts_with("s") && units != "south") units.remove_prefix(1);
  if (units.starts_with("_")) units.remove_prefix(1);
  return units;
}

bool is_towards(const std::string& units, std::string_view direction) {
  const auto behind = behind_degrees(units);
  return behind && (*behind == direction || *behind == direction.substr(0, 1));
}

bool is_coordinate(const InputFile& file, const std::string& variable, std::string_view standard_name,
                   std::string_view direction) {
  const std::string said = file.text(variable, "standard_name");
  return said.empty() ? is_towards(units_of(file, variable), direction) : said == standard_name;
}

}  // namespace

bool is_latitude(const InputFile& file, const std::string& variable) {
  return is_coordinate(file, variable, "latitude", "north");
}
bool is_longitude(const InputFile& file, const std::string& variable) {
  return is_coordinate(file, variable, "longitude", "east");
}

double degrees_of(const InputFile& file, const std::string& variable, const std::string& others) {
  std::string units = units_of(file, variable);
  if (units.empty() && !others.empty()) units = units_of(file, others);
  constexpr std::array<std::string_view, 3> kRadians = {"rad", "radian", "radians"};
  if (std::ranges::find(kRadians, units) != kRadians.end()) return 180 / std::numbers::pi;
  if (behind_degrees(units) == "" || is_towards(units, "north") || is_towards(units, "east")) return 1;
  file.refuse("its " + variable + " is in \"" + units +
              "\", and not in degrees (to the north or to the east) or radians");
}

std::vector<double> in_degrees(std::vector<double> values, double factor) {
  if (factor != 1)
    for (double& value : values) value *= factor;
  return values;
}

}  // namespace pileus::netcdf
