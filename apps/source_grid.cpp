#include "apps/source_grid.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "config/namespaces.h"
#include "core/suggest.h"
#include "formats/netcdf/input_file.h"
#include "terms/grid_parameters.h"

namespace pileus::apps {
namespace {

using netcdf::InputFile;

constexpr double kBeyondPole = 1e-6;   ///< degrees: rounding, of coordinates in single precision too
constexpr double kLargestAngle = 1e4;  ///< degrees; fill values are larger

/// Coordinates of hidden points may be anything, and are 0 then.
class GridReader {
 public:
  GridReader(const std::string& path, const WantedWeights& wanted) : file_(path), wanted_(wanted) {}

  SourceGrid read(bool needs_corners) {
    SourceGrid grid;
    const std::vector<Index> shape = shape_of(wanted_.latitude);
    grid.dims.assign(shape.rbegin(), shape.rend());
    if (shape.empty() || shape.size() > 2)
      file_.refuse("the grid " + wanted_.source + " has " + std::to_string(shape.size()) +
                   " dimensions by its " + wanted_.latitude + ", and weights are made for one or two");
    if (std::ranges::find(shape, 0) != shape.end())
      file_.refuse("the grid " + wanted_.source + " has no points");
    require_shape(wanted_.longitude, shape);
    grid.mask = read_mask(shape);
    grid.latitude = angles(wanted_.latitude, grid.mask, 1);
    grid.longitude = angles(wanted_.longitude, grid.mask, 1);
    check_latitudes(wanted_.latitude, grid.latitude, 1);
    if (needs_corners) read_corners(shape, grid);
    return grid;
  }

 private:
  /// Of a field of a namespace the file may have the name alone.
  std::string name_in_file(const std::string& field) const {
    if (file_.has_variable(field)) return field;
    return std::string(last_name(field));
  }
  std::vector<Index> shape_of(const std::string& field) const { return file_.shape(name_in_file(field)); }

  void require_shape(const std::string& field, const std::vector<Index>& shape) const {
    if (shape_of(field) != shape)
      file_.refuse("its " + field + " has other points than its " + wanted_.latitude);
  }

  std::vector<std::uint8_t> read_mask(const std::vector<Index>& shape) const {
    if (wanted_.mask.empty()) return {};
    require_shape(wanted_.mask, shape);
    const std::vector<double> values = file_.numbers(name_in_file(wanted_.mask));
    std::vector<std::uint8_t> mask;
    for (const double value : values) mask.push_back(!std::isnan(value) && value != 0 ? 1 : 0);
    if (std::ranges::find(mask, 1) == mask.end()) file_.refuse("its " + wanted_.mask + " hides all points");
    return mask;
  }

  /// Degrees; `each`: values of a point.
  std::vector<double> angles(const std::string& field, const std::vector<std::uint8_t>& mask,
                             std::size_t each) const {
    const std::string name = name_in_file(field);
    std::vector<double> values = file_.numbers(name);
    const bool is_in_radians = file_.text(name, "units").starts_with("rad");
    for (std::size_t i = 0; i < values.size(); ++i) {
      double& value = values[i];
      if (is_in_radians) value *= 180 / std::numbers::pi;
      if (!mask.empty() && mask[i / each] == 0) value = 0;
      if (std::isfinite(value) && std::fabs(value) < kLargestAngle) continue;
      file_.refuse("its " + field + " is no angle at point " + std::to_string(i / each) +
                   ", which no mask hides");
    }
    return values;
  }

  void check_latitudes(const std::string& field, std::vector<double>& values, std::size_t each) const {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::fabs(values[i]) > 90 + kBeyondPole)
        file_.refuse("its " + field + " lies beyond a pole at point " + std::to_string(i / each) + ": " +
                     std::to_string(values[i]) + " degrees");
      values[i] = std::clamp(values[i], -90.0, 90.0);
    }
  }

  void read_corners(const std::vector<Index>& shape, SourceGrid& grid) const {
    for (const std::string& field : {wanted_.latitude_corners, wanted_.longitude_corners}) {
      std::vector<Index> found = shape_of(field);
      const Index corners = found.empty() ? 0 : found.back();
      if (!found.empty()) found.pop_back();
      if (found != shape || corners < 3 || (grid.corners > 0 && corners != grid.corners))
        file_.refuse("its " + field + " does not have the corners of the points of its " + wanted_.latitude +
                     ": those of a cell, three or more, lie one after the other");
      grid.corners = corners;
    }
    const auto each = static_cast<std::size_t>(grid.corners);
    grid.corner_latitude = angles(wanted_.latitude_corners, grid.mask, each);
    grid.corner_longitude = angles(wanted_.longitude_corners, grid.mask, each);
    check_latitudes(wanted_.latitude_corners, grid.corner_latitude, each);
  }

  InputFile file_;
  const WantedWeights& wanted_;
};

const GridConfig* find_grid(const Config& config, const std::string& name) {
  for (const GridConfig& grid : config.grids) {
    if (full_name(grid.scope, grid.name.value) == name) return &grid;
  }
  return nullptr;
}

std::string without_grid(const Config& config, const std::string& name) {
  std::vector<std::string> known;
  for (const GridConfig& grid : config.grids) known.push_back(full_name(grid.scope, grid.name.value));
  return "the configuration has no grid \"" + name + "\"" + did_you_mean(nearest(name, known));
}

}  // namespace

WantedWeights weights_from(const Config& config, const std::string& from, const std::string& to,
                           const std::string& method) {
  const GridConfig* const grid = find_grid(config, from);
  if (grid == nullptr) throw UsageError(without_grid(config, from));
  if (grid->latitude.value.empty() || grid->longitude.value.empty())
    throw UsageError("the grid \"" + from + "\" names no latitude and longitude");
  const GridConfig* const target = find_grid(config, to);
  if (target != nullptr && !target->is_target())
    throw UsageError("the grid \"" + to + "\" does not say its cells");
  const auto field = [&](const Text& name) {
    return name.value.empty() ? "" : full_name(grid->scope, name.value);
  };
  return {from,
          field(grid->latitude),
          field(grid->longitude),
          field(grid->latitude_bounds),
          field(grid->longitude_bounds),
          field(grid->mask),
          target != nullptr ? to : "",
          target != nullptr ? target->cells.value : to,
          target != nullptr ? planning::path_beside(target->where.file, target->file.value) : "",
          method};
}

SourceGrid read_source_grid(const std::string& file, const WantedWeights& wanted, bool needs_corners) {
  if (needs_corners && (wanted.latitude_corners.empty() || wanted.longitude_corners.empty())) {
    throw UsageError("the grid \"" + wanted.source +
                     "\" names no latitude_bounds and longitude_bounds, the corners of its cells, which "
                     "conservative weights need");
  }
  return GridReader(file, wanted).read(needs_corners);
}

}  // namespace pileus::apps
