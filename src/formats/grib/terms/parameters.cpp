#include "formats/grib/terms/parameters.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/error.h"
#include "core/suggest.h"

namespace pileus::grib {
namespace {

constexpr Surface kNowhere = {};
constexpr Surface kGround = {1};
constexpr Surface kTop = {8};
constexpr Surface kSea = {101};
constexpr Surface kAt2m = {103, 2, true};
constexpr Surface kAt10m = {103, 10, true};

std::optional<int> whole(std::string_view text) {
  int number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size() || number < 0) return {};
  return number;
}

/// "0.2.9"
std::optional<Parameter> three_numbers(std::string_view text) {
  const std::size_t first = text.find('.'), second = text.find('.', first + 1);
  if (first == text.npos || second == text.npos) return {};
  const auto a = whole(text.substr(0, first)), b = whole(text.substr(first + 1, second - first - 1)),
             c = whole(text.substr(second + 1));
  if (!a || !b || !c || *a > 254 || *b > 254 || *c > 254) return {};
  return Parameter{*a, *b, *c};
}

ChosenParameter chosen(const KnownParameter& known) {
  return {known.parameter, known.units, known.first, known.second};
}

}  // namespace

const std::vector<KnownParameter>& known_parameters() {
  static const std::vector<KnownParameter> all = {
      // Of the air, level by level.
      {"t", 130, "air_temperature", {0, 0, 0}, "K"},
      {"pt", 3, "air_potential_temperature", {0, 0, 2}, "K"},
      {"dpt", 3017, "dew_point_temperature", {0, 0, 6}, "K"},
      {"u", 131, "eastward_wind", {0, 2, 2}, "m s-1"},
      {"u", 131, "x_wind", {0, 2, 2}, "m s-1"},
      {"v", 132, "northward_wind", {0, 2, 3}, "m s-1"},
      {"v", 132, "y_wind", {0, 2, 3}, "m s-1"},
      {"ws", 10, "wind_speed", {0, 2, 1}, "m s-1"},
      {"w", 135, "lagrangian_tendency_of_air_pressure", {0, 2, 8}, "Pa s-1"},
      {"wz", 260238, "upward_air_velocity", {0, 2, 9}, "m s-1"},
      {"absv", 3041, "atmosphere_absolute_vorticity", {0, 2, 10}, "s-1"},
      {"vo", 138, "atmosphere_relative_vorticity", {0, 2, 12}, "s-1"},
      {"d", 155, "divergence_of_wind", {0, 2, 13}, "s-1"},
      {"pv", 60, "ertel_potential_vorticity", {0, 2, 14}, "K m2 kg-1 s-1"},
      {"pres", 54, "air_pressure", {0, 3, 0}, "Pa"},
      {"z", 129, "geopotential", {0, 3, 4}, "m2 s-2"},
      {"gh", 156, "geopotential_height", {0, 3, 5}, "m"},
      {"h", 3008, "height", {0, 3, 6}, "m"},
      {"q", 133, "specific_humidity", {0, 1, 0}, "kg kg-1"},
      {"r", 157, "relative_humidity", {0, 1, 1}, "%"},
      {"mixr", 0, "humidity_mixing_ratio", {0, 1, 2}, "kg kg-1"},
      {"clwmr", 260018, "cloud_liquid_water_mixing_ratio", {0, 1, 22}, "kg kg-1"},
      {"icmr", 260019, "cloud_ice_mixing_ratio", {0, 1, 23}, "kg kg-1"},
      {"rwmr", 260020, "", {0, 1, 24}, "kg kg-1"},
      {"snmr", 260021, "", {0, 1, 25}, "kg kg-1"},
      {"grle", 260028, "", {0, 1, 32}, "kg kg-1"},
      {"clwc", 246, "mass_fraction_of_cloud_liquid_water_in_air", {0, 1, 83}, "kg kg-1"},
      {"ciwc", 247, "mass_fraction_of_cloud_ice_in_air", {0, 1, 84}, "kg kg-1"},
      {"crwc", 75, "mass_fraction_of_rain_in_air", {0, 1, 85}, "kg kg-1"},
      {"cswc", 76, "mass_fraction_of_snow_in_air", {0, 1, 86}, "kg kg-1"},
      {"cc", 248, "cloud_area_fraction_in_atmosphere_layer", {0, 6, 32}, "1"},
      {"o3", 203, "mass_fraction_of_ozone_in_air", {0, 14, 1}, "kg kg-1"},
      {"tke", 260155, "specific_turbulent_kinetic_energy_of_air", {0, 19, 11}, "J kg-1"},
      // On one surface.
      {"2t", 167, "", {0, 0, 0}, "K", kAt2m},
      {"2d", 168, "", {0, 0, 6}, "K", kAt2m},
      {"2r", 260242, "", {0, 1, 1}, "%", kAt2m},
      {"2sh", 174096, "", {0, 1, 0}, "kg kg-1", kAt2m},
      {"10u", 165, "", {0, 2, 2}, "m s-1", kAt10m},
      {"10v", 166, "", {0, 2, 3}, "m s-1", kAt10m},
      {"10si", 207, "", {0, 2, 1}, "m s-1", kAt10m},
      {"skt", 235, "surface_temperature", {0, 0, 17}, "K", kGround},
      {"sp", 134, "surface_air_pressure", {0, 3, 0}, "Pa", kGround},
      {"msl", 151, "air_pressure_at_mean_sea_level", {0, 3, 0}, "Pa", kSea},
      {"orog", 228002, "surface_altitude", {0, 3, 5}, "m", kGround},
      {"blh", 159, "atmosphere_boundary_layer_thickness", {0, 3, 18}, "m", kGround},
      {"prate", 3059, "rainfall_flux", {0, 1, 7}, "kg m-2 s-1", kGround},
      {"tprate", 260048, "precipitation_flux", {0, 1, 52}, "kg m-2 s-1", kGround},
      {"sde", 3066, "surface_snow_thickness", {0, 1, 11}, "m", kGround},
      {"sd", 228141, "surface_snow_amount", {0, 1, 60}, "kg m-2", kGround},
      {"shtfl", 0, "surface_upward_sensible_heat_flux", {0, 0, 11}, "W m-2", kGround},
      {"lhtfl", 260002, "surface_upward_latent_heat_flux", {0, 0, 10}, "W m-2", kGround},
      {"dswrf", 260087, "surface_downwelling_shortwave_flux_in_air", {0, 4, 7}, "W m-2", kGround},
      {"uswrf", 260088, "surface_upwelling_shortwave_flux_in_air", {0, 4, 8}, "W m-2", kGround},
      {"dlwrf", 260097, "surface_downwelling_longwave_flux_in_air", {0, 5, 3}, "W m-2", kGround},
      {"ulwrf", 260098, "surface_upwelling_longwave_flux_in_air", {0, 5, 4}, "W m-2", kGround},
      {"", 0, "toa_outgoing_longwave_flux", {0, 5, 4}, "W m-2", kTop},
      {"vis", 3020, "visibility_in_air", {0, 19, 0}, "m", kGround},
      {"lcc", 3073, "low_type_cloud_area_fraction", {0, 6, 3}, "%", kGround},
      {"mcc", 3074, "medium_type_cloud_area_fraction", {0, 6, 4}, "%", kGround},
      {"hcc", 3075, "high_type_cloud_area_fraction", {0, 6, 5}, "%", kGround},
      // Of the column.
      {"tcc", 228164, "cloud_area_fraction", {0, 6, 1}, "%", kGround, kTop},
      {"cape", 59, "atmosphere_convective_available_potential_energy", {0, 7, 6}, "J kg-1", kGround, kTop},
      {"cin", 228001, "atmosphere_convective_inhibition", {0, 7, 7}, "J kg-1", kGround, kTop},
      {"tcwv", 137, "atmosphere_mass_content_of_water_vapor", {0, 1, 64}, "kg m-2", kGround, kTop},
      {"tcw", 136, "atmosphere_mass_content_of_water", {0, 1, 51}, "kg m-2", kGround, kTop},
      {"tclw", 78, "atmosphere_mass_content_of_cloud_liquid_water", {0, 1, 69}, "kg m-2", kGround, kTop},
      {"tciw", 79, "atmosphere_mass_content_of_cloud_ice", {0, 1, 70}, "kg m-2", kGround, kTop},
      {"tcrw", 228089, "", {0, 1, 45}, "kg m-2", kGround, kTop},
      {"tcsw", 228090, "", {0, 1, 46}, "kg m-2", kGround, kTop},
      {"tcolg", 260001, "", {0, 1, 74}, "kg m-2", kGround, kTop},
      // Of land and sea.
      {"lsm", 172, "land_binary_mask", {2, 0, 0}, "1", kGround},
      {"st", 228139, "soil_temperature", {2, 0, 2}, "K"},
      {"ci", 31, "sea_ice_area_fraction", {10, 2, 0}, "1", kGround},
      {"sst", 34, "sea_surface_temperature", {10, 3, 0}, "K", kGround},
      {"", 0, "sea_surface_height_above_geoid", {10, 3, 1}, "m", kGround},
      {"ocu", 151131, "eastward_sea_water_velocity", {10, 1, 2}, "m s-1"},
      {"ocv", 151132, "northward_sea_water_velocity", {10, 1, 3}, "m s-1"},
      {"", 0, "sea_water_potential_temperature", {10, 4, 18}, "K"},
      {"", 0, "sea_water_practical_salinity", {10, 4, 21}, "1e-3"},
  };
  return all;
}

ChosenParameter choose_parameter(std::string_view said, std::string_view standard_name) {
  constexpr const char* kWrite =
      ": write a shortName such as grib=\"t\", a paramId such as grib=\"130\", or the numbers of WMO's table "
      "4.2 (discipline, category, number) such as grib=\"0.2.9\"";
  const auto& all = known_parameters();
  if (said.empty()) {
    const auto known = std::ranges::find_if(
        all, [&](const KnownParameter& one) { return standard_name == one.standard_name; });
    if (!standard_name.empty() && known != all.end()) return chosen(*known);
    throw UsageError(
        (standard_name.empty()
             ? std::string("no standard_name says which parameter of GRIB it is")
             : "no parameter of GRIB is known for the standard_name \"" + std::string(standard_name) + "\"") +
        kWrite);
  }
  if (const auto numbers = three_numbers(said)) return {*numbers, "", kNowhere, kNowhere};
  const auto id = whole(said);
  const auto known = std::ranges::find_if(all, [&](const KnownParameter& one) {
    return id ? one.param_id > 0 && one.param_id == *id : said == one.short_name;
  });
  if (known != all.end()) return chosen(*known);
  std::vector<std::string> names;
  for (const KnownParameter& one : all) names.emplace_back(one.short_name);
  throw UsageError("grib=\"" + std::string(said) + "\" is no parameter that Pileus knows" + kWrite +
                   (id ? "" : did_you_mean(std::string(said), names)));
}

}  // namespace pileus::grib
