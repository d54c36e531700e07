#include "config/schema/grid_mappings.h"

#include <algorithm>

namespace pileus {
namespace {

using V = MappingValue;
using Names = std::vector<std::string>;

const Names kOfEarth = {"earth_radius",
                        "semi_major_axis",
                        "semi_minor_axis",
                        "inverse_flattening",
                        "longitude_of_prime_meridian",
                        "prime_meridian_name",
                        "reference_ellipsoid_name",
                        "horizontal_datum_name",
                        "geographic_crs_name",
                        "projected_crs_name",
                        "geoid_name",
                        "geopotential_datum_name",
                        "towgs84",
                        "crs_wkt"};

/// A projection on a plane.
GridMapping plane(std::string name, std::vector<Names> needs) {
  return {std::move(name),           std::move(needs),          {"false_easting", "false_northing"},
          "projection_x_coordinate", "projection_y_coordinate", "m"};
}

std::vector<GridMapping> all_mappings() {
  const Names lat = {"latitude_of_projection_origin"}, lon = {"longitude_of_projection_origin"};
  const Names central = {"longitude_of_central_meridian"}, parallel = {"standard_parallel"};
  const Names factor = {"scale_factor_at_projection_origin"};
  const Names parallel_or_factor = {"standard_parallel", "scale_factor_at_projection_origin"};
  const Names height = {"perspective_point_height"};
  GridMapping geostationary =
      plane("geostationary", {lat, lon, height, {"sweep_angle_axis", "fixed_angle_axis"}});
  geostationary.x = "projection_x_angular_coordinate";
  geostationary.y = "projection_y_angular_coordinate";
  geostationary.units = "radian";
  return {plane("albers_conical_equal_area", {parallel, central, lat}),
          plane("azimuthal_equidistant", {lon, lat}),
          std::move(geostationary),
          plane("lambert_azimuthal_equal_area", {lon, lat}),
          plane("lambert_conformal_conic", {parallel, central, lat}),
          plane("lambert_cylindrical_equal_area", {central, parallel_or_factor}),
          {"latitude_longitude", {}, {}, "longitude", "latitude", "degrees_east"},
          plane("mercator", {lon, parallel_or_factor}),
          plane("oblique_mercator", {{"azimuth_of_central_line"}, lat, lon, factor}),
          plane("orthographic", {lon, lat}),
          plane("polar_stereographic",
                {{"straight_vertical_longitude_from_pole", lon.front()}, lat, parallel_or_factor}),
          {"rotated_latitude_longitude",
           {{"grid_north_pole_latitude"}, {"grid_north_pole_longitude"}},
           {"north_pole_grid_longitude"},
           "grid_longitude",
           "grid_latitude",
           "degrees"},
          plane("sinusoidal", {lon}),
          plane("stereographic", {lon, lat, factor}),
          plane("transverse_mercator", {{"scale_factor_at_central_meridian"}, central, lat}),
          plane("vertical_perspective", {lat, lon, height})};
}

}  // namespace

const std::vector<MappingParameter>& mapping_parameters() {
  static const std::vector<MappingParameter> all = {
      {"standard_parallel", V::parallels, "one or two latitudes of true scale, such as \"30 60\""},
      {"latitude_of_projection_origin", V::latitude, "degrees north; 90 or -90 of polar_stereographic"},
      {"longitude_of_projection_origin", V::longitude, "degrees east"},
      {"longitude_of_central_meridian", V::longitude, "degrees east"},
      {"straight_vertical_longitude_from_pole", V::longitude, "degrees east, of polar_stereographic"},
      {"scale_factor_at_projection_origin", V::positive, "in place of a standard parallel"},
      {"scale_factor_at_central_meridian", V::positive, "of transverse_mercator"},
      {"azimuth_of_central_line", V::number, "degrees clockwise from north, of oblique_mercator"},
      {"perspective_point_height", V::positive, "m above the ellipsoid"},
      {"sweep_angle_axis", V::axis, "of geostationary: on which the view sweeps"},
      {"fixed_angle_axis", V::axis, "of geostationary: on which it is fixed"},
      {"false_easting", V::number, "what was added to x, in its units"},
      {"false_northing", V::number, "what was added to y, in its units"},
      {"grid_north_pole_latitude", V::latitude, "true latitude of the rotated north pole"},
      {"grid_north_pole_longitude", V::number, "true longitude of the rotated north pole"},
      {"north_pole_grid_longitude", V::number, "rotated longitude of the true north pole"},
      {"earth_radius", V::positive, "m, of a sphere"},
      {"semi_major_axis", V::positive, "m, of an ellipsoid"},
      {"semi_minor_axis", V::positive, "m, of an ellipsoid"},
      {"inverse_flattening", V::positive, "of an ellipsoid, in place of semi_minor_axis"},
      {"longitude_of_prime_meridian", V::longitude, "degrees east of Greenwich"},
      {"prime_meridian_name", V::text, "such as \"Greenwich\""},
      {"reference_ellipsoid_name", V::text, "such as \"WGS 84\""},
      {"horizontal_datum_name", V::text, "such as \"World Geodetic System 1984\""},
      {"geographic_crs_name", V::text, "such as \"WGS 84\""},
      {"projected_crs_name", V::text, "such as \"WGS 84 / UTM zone 32N\""},
      {"geoid_name", V::text, "of heights"},
      {"geopotential_datum_name", V::text, "of heights, in place of geoid_name"},
      {"towgs84", V::datum_shift, "3, 6 or 7 numbers of a shift to WGS 84"},
      {"crs_wkt", V::text, "all of it in well-known text besides"}};
  return all;
}

const std::vector<GridMapping>& grid_mappings() {
  static const std::vector<GridMapping> all = all_mappings();
  return all;
}

const GridMapping* find_grid_mapping(std::string_view name) {
  const auto found = std::ranges::find(grid_mappings(), name, &GridMapping::name);
  return found == grid_mappings().end() ? nullptr : &*found;
}

bool takes_parameter(const GridMapping& mapping, const std::string& parameter) {
  const auto is_in = [&](const Names& names) { return std::ranges::find(names, parameter) != names.end(); };
  return is_in(kOfEarth) || is_in(mapping.takes) || std::ranges::any_of(mapping.needs, is_in);
}

}  // namespace pileus
