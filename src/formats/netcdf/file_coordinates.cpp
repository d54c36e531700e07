#include "formats/netcdf/file_coordinates.h"

#include <algorithm>
#include <array>
#include <numbers>
#include <string_view>

#include "core/degrees.h"

namespace pileus::netcdf {
namespace {

std::string units_of(const InputFile& file, const std::string& variable) {
  std::string units = file.text(variable, "units");
  while (!units.empty() && units.back() == ' ') units.pop_back();
  std::ranges::transform(units, units.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return units;
}

bool is_coordinate(const InputFile& file, const std::string& variable, std::string_view standard_name,
                   bool (*are_units_of)(std::string_view)) {
  const std::string said = file.text(variable, "standard_name");
  return said.empty() ? are_units_of(units_of(file, variable)) : said == standard_name;
}

}  // namespace

bool is_latitude(const InputFile& file, const std::string& variable) {
  return is_coordinate(file, variable, "latitude", are_degrees_north);
}
bool is_longitude(const InputFile& file, const std::string& variable) {
  return is_coordinate(file, variable, "longitude", are_degrees_east);
}

double degrees_of(const InputFile& file, const std::string& variable, const std::string& others) {
  std::string units = units_of(file, variable);
  if (units.empty() && !others.empty()) units = units_of(file, others);
  constexpr std::array<std::string_view, 3> kRadians = {"rad", "radian", "radians"};
  if (std::ranges::find(kRadians, units) != kRadians.end()) return 180 / std::numbers::pi;
  if (direction_of_degrees(units) == "" || are_degrees_north(units) || are_degrees_east(units)) return 1;
  file.refuse("its " + variable + " is in \"" + units +
              "\", and not in degrees (to the north or to the east) or radians");
}

std::vector<double> in_degrees(std::vector<double> values, double factor) {
  if (factor != 1)
    for (double& value : values) value *= factor;
  return values;
}

}  // namespace pileus::netcdf
