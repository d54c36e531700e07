#include "formats/netcdf/grid_file.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <sstream>

#include "core/cell_bounds.h"
#include "core/error.h"
#include "formats/netcdf/file_coordinates.h"
#include "formats/netcdf/input_file.h"
#include "formats/netcdf/mesh_faces.h"
#include "plan/sha256.h"
#include "weights/station_table.h"
#include "weights/target_grid.h"

namespace pileus {
namespace {

using netcdf::in_degrees;
using netcdf::InputFile;

constexpr Index kMostOfAxis = Index{1} << 20;  ///< as those of descriptions
constexpr double kBeyondPole = 1e-6;           ///< degrees: rounding
constexpr double kLargestAngle = 1e4;          ///< degrees; fill values are larger
constexpr double kRounding = 1e-9;             ///< of a circle: bounds that are rounded
constexpr Index kPiece = 1 << 18;              ///< cells that are checked at a time

/// The variables of a grid, over `dimensions` that are numbered as the file has them.
struct Variables {
  std::string latitude, longitude, latitude_bounds, longitude_bounds;
  std::size_t dimensions = 1;
  Index corners = 0;
};

/// The places of cells that have variables of their own. Bounds without units have those of their centres.
std::shared_ptr<const PlacesOfCells> places_of(const InputFile& file, const Variables& variables) {
  struct Source {
    std::string name;
    double factor = 1;
  };
  const auto source = [&](const std::string& name, const std::string& centre) {
    return name.empty() ? Source() : Source{name, netcdf::degrees_of(file, name, centre)};
  };
  const Source latitude = source(variables.latitude, ""), longitude = source(variables.longitude, "");
  Source latitude_bounds, longitude_bounds;
  if (variables.corners > 0) {
    latitude_bounds = source(variables.latitude_bounds, variables.latitude);
    longitude_bounds = source(variables.longitude_bounds, variables.longitude);
  }
  PlacesOfCells places;
  places.identity = planning::digest_of_file(file.path());
  places.latitude = variables.latitude;
  places.longitude = variables.longitude;
  places.corners = variables.corners;
  places.read = [path = file.path(), dimensions = variables.dimensions, latitude, longitude, latitude_bounds,
                 longitude_bounds](CellPart part, Index first, Index count) {
    const Source& of = part == CellPart::latitude          ? latitude
                       : part == CellPart::longitude       ? longitude
                       : part == CellPart::latitude_bounds ? latitude_bounds
                                                           : longitude_bounds;
    return in_degrees(InputFile(path).numbers_of_cells(of.name, dimensions, first, count), of.factor);
  };
  return std::make_shared<const PlacesOfCells>(std::move(places));
}

/// Errors: another shape than that of all cells and their corners. Returns the number of these.
Index corners_of(const InputFile& file, const std::string& bounds, std::vector<Index> cells) {
  const std::vector<Index> shape = file.shape(bounds);
  const Index corners = shape.empty() ? 0 : shape.back();
  cells.push_back(corners);
  if (shape == cells && corners >= 3) return corners;
  file.refuse("its " + bounds + " does not have the corners of the cells, three or more, behind their " +
              std::string(cells.size() == 2 ? "dimension" : "dimensions"));
}

// SCRIP

bool is_scrip(const InputFile& file) { return file.has_variable("grid_center_lat"); }

GridOfFile scrip_grid(const InputFile& file) {
  Variables variables{"grid_center_lat", "grid_center_lon", "grid_corner_lat", "grid_corner_lon"};
  const std::vector<Index> size = file.shape(variables.latitude);
  if (size.size() != 1 || file.shape(variables.longitude) != size)
    file.refuse("its grid_center_lat and grid_center_lon are not over one dimension, grid_size");
  std::vector<Index> dims = size;
  if (file.has_variable("grid_dims")) {
    const std::vector<Index> numbers = file.shape("grid_dims");
    const bool is_list = numbers.size() == 1 && numbers[0] <= 2;
    dims = is_list ? file.integers("grid_dims", 0, numbers[0]) : std::vector<Index>();
  }
  // Each divides the whole, so that no product overflows.
  const auto is_part = [&](Index dim) { return dim >= 1 && size[0] % dim == 0; };
  const bool is_known = !dims.empty() && std::ranges::all_of(dims, is_part);
  GridOfFile grid;
  if (dims.size() == 1) grid.dimensions.push_back({"grid_size", dims[0]});
  if (dims.size() == 2) grid.dimensions = {{"grid_x", dims[0]}, {"grid_y", dims[1]}};
  if (!is_known || grid.size() != size[0] || size[0] < 1)
    file.refuse("its grid_dims are not one or two numbers whose product is its grid_size");
  if (file.has_variable(variables.latitude_bounds)) {
    variables.corners = corners_of(file, variables.latitude_bounds, size);
    if (corners_of(file, variables.longitude_bounds, size) != variables.corners)
      file.refuse("its grid_corner_lat and grid_corner_lon have different numbers of corners");
  }
  auto places = std::make_shared<PlacesOfCells>(*places_of(file, variables));
  places->latitude = "lat";
  places->longitude = "lon";
  grid.places = std::move(places);
  return grid;
}

// CF

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// The one that is it, or that the coordinates of another variable name first, or that is over its own name.
std::string coordinate_of(const InputFile& file, const std::string& standard_name,
                          bool (*is_it)(const InputFile&, const std::string&)) {
  std::set<std::string> bounds;
  std::vector<std::string> found;
  for (const std::string& name : file.variables()) bounds.insert(file.text(name, "bounds"));
  for (const std::string& name : file.variables())
    if (!bounds.contains(name) && is_it(file, name)) found.push_back(name);
  if (found.empty()) file.refuse("it has no " + standard_name + ", by standard_name or units: it is no grid");
  if (found.size() == 1) return found.front();
  for (const std::string& name : file.variables()) {
    std::istringstream words(file.text(name, "coordinates"));
    for (std::string word; words >> word;)
      if (std::ranges::find(found, word) != found.end()) return word;
  }
  for (const std::string& name : found)
    if (file.dimension_names(name) == std::vector<std::string>{name}) return name;
  file.refuse("it has several of " + standard_name + ": " + listed(found) +
              "; leave one, or let the coordinates of a variable say which");
}

/// Errors: longitudes that come to where they began, and further.
void check_once_around(const InputFile& file, const std::string& variable, const TargetDimension& axis) {
  const std::vector<double>& ends = axis.bounds.empty() ? axis.values : axis.bounds;
  const auto [low, high] = std::ranges::minmax(ends);
  if (high - low > 360 * (1 + kRounding))
    file.refuse("the cells of its " + variable + " go more than once around the globe");
}

RegridDimension axis_of(const InputFile& file, const std::string& variable, bool is_longitude) {
  const double factor = netcdf::degrees_of(file, variable);
  TargetDimension axis{file.dimension_names(variable).front(), file.shape(variable).front(), {}, {}};
  if (axis.size < 1 || axis.size > kMostOfAxis)
    file.refuse("its " + variable + " has " + std::to_string(axis.size) + " values, not 1 to 2^20");
  axis.values = in_degrees(file.numbers(variable), factor);
  if (!is_strictly_monotonic(axis.values)) {
    file.refuse("its " + variable + " neither grows nor falls all the way" +
                (is_longitude ? "; behind 350 and 355 come 360 and 365" : ""));
  }
  const std::string bounds = file.text(variable, "bounds");
  if (!bounds.empty()) {
    if (file.shape(bounds) != std::vector<Index>{axis.size, 2})
      file.refuse("its " + bounds + " does not have two bounds for each value of " + variable);
    axis.bounds = in_degrees(file.numbers(bounds), netcdf::degrees_of(file, bounds, variable));
  } else if (axis.size > 1) {
    axis.bounds = cells_between(axis.values);
    if (!is_longitude)
      for (double& bound : axis.bounds) bound = std::clamp(bound, -90.0, 90.0);
  }
  if (is_longitude) check_once_around(file, variable, axis);
  return axis_in_degrees(axis, is_longitude);
}

GridOfFile cf_grid(const InputFile& file) {
  Variables variables{coordinate_of(file, "latitude", netcdf::is_latitude),
                      coordinate_of(file, "longitude", netcdf::is_longitude), "", ""};
  const std::vector<std::string> names = file.dimension_names(variables.latitude),
                                 others = file.dimension_names(variables.longitude);
  if (names.size() == 1 && others.size() == 1 && names != others) {
    return {{axis_of(file, variables.longitude, true), axis_of(file, variables.latitude, false)}};
  }
  if (names != others || names.empty() || names.size() > 2) {
    file.refuse("its " + variables.latitude + " and " + variables.longitude +
                " are not over one dimension each, nor over the same one or two");
  }
  const std::vector<Index> shape = file.shape(variables.latitude);
  GridOfFile grid;
  for (std::size_t d = names.size(); d-- > 0;) grid.dimensions.push_back({names[d], shape[d]});
  if (grid.size() < 1) file.refuse("its grid has no cells");
  variables.dimensions = names.size();
  variables.latitude_bounds = file.text(variables.latitude, "bounds");
  variables.longitude_bounds = file.text(variables.longitude, "bounds");
  if (variables.latitude_bounds.empty() != variables.longitude_bounds.empty())
    file.refuse("one of its latitude and longitude has bounds, and the other has none");
  if (!variables.latitude_bounds.empty()) {
    variables.corners = corners_of(file, variables.latitude_bounds, shape);
    if (corners_of(file, variables.longitude_bounds, shape) != variables.corners)
      file.refuse("its latitude and longitude have different numbers of bounds");
  }
  grid.places = places_of(file, variables);
  return grid;
}

void check_values(const std::vector<double>& values, bool is_latitude, Index first, std::size_t of_cell,
                  const std::string& what) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool is_angle = std::isfinite(values[i]) && std::fabs(values[i]) < kLargestAngle;
    const bool is_beyond = is_latitude && std::fabs(values[i]) > 90 + kBeyondPole;
    if (is_angle && !is_beyond) continue;
    const Index cell = first + static_cast<Index>(i / of_cell);
    const std::string at = " of cell " + std::to_string(cell) + ", counted from 0,";
    throw UsageError(
        what + at +
        (is_angle ? " lies beyond a pole: " + std::to_string(values[i]) + " degrees" : " is no angle"));
  }
}

}  // namespace

GridOfFile read_grid_file(const std::string& path) {
  if (path.ends_with(".csv")) return read_station_grid(path);
  const InputFile file(path);
  if (is_scrip(file)) return scrip_grid(file);
  if (const std::string mesh = netcdf::mesh_of(file); !mesh.empty()) return netcdf::mesh_faces(file, mesh);
  return cf_grid(file);
}

void check_cells(const GridOfFile& grid, const std::string& path) {
  if (!grid.places) {
    for (const RegridDimension& axis : grid.dimensions) {
      const bool is_latitude = axis.standard_name == "latitude";
      const std::string what = path + ": its " + axis.standard_name;
      check_values(axis.coordinates, is_latitude, 0, 1, what);
      check_values(axis.bounds, is_latitude, 0, 2, what + " bound");
    }
    return;
  }
  const auto corners = static_cast<std::size_t>(grid.places->corners);
  for (Index first = 0; first < grid.size(); first += kPiece) {
    const Index count = std::min(kPiece, grid.size() - first);
    const auto check = [&](CellPart part, bool is_latitude, std::size_t of_cell, const char* what) {
      check_values(grid.places->read(part, first, count), is_latitude, first, of_cell,
                   path + ": its " + what);
    };
    check(CellPart::latitude, true, 1, "latitude");
    check(CellPart::longitude, false, 1, "longitude");
    if (corners == 0) continue;
    check(CellPart::latitude_bounds, true, corners, "latitude bound");
    check(CellPart::longitude_bounds, false, corners, "longitude bound");
  }
}

GridOfFile read_and_check_grid(const std::string& path) {
  GridOfFile grid = read_grid_file(path);
  check_cells(grid, path);
  return grid;
}

}  // namespace pileus
