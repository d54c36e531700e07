#include "formats/grib/terms/grid.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "formats/grib/terms/message.h"
#include "weights/gaussian_latitudes.h"

namespace pileus::grib {
namespace {

/// Degrees that are less than this apart are the same: GRIB has millionths.
constexpr double kSame = 2e-6;
constexpr long kLatLon = 0, kGaussian = 40, kPoints = 101;
constexpr Index kMostRows = 20'000;  ///< of a Gaussian grid

long millionths(double degrees) { return std::lround(degrees * 1e6); }

long millionths_east(double degrees) {
  const double east = std::fmod(degrees, 360);
  return millionths(east < 0 ? east + 360 : east);
}

bool has_degrees(const FileDimension& dimension, const std::string& name, const std::string& units) {
  if (dimension.coordinates.empty()) return false;
  const std::string said = text_of(dimension.attributes, "standard_name");
  if (!said.empty()) return said == name;
  return text_of(dimension.attributes, "units") == units;
}

/// The distance from one to the next, where all are the same.
std::optional<double> even_step(const std::vector<double>& degrees) {
  if (degrees.size() < 2) return {};
  const double step = (degrees.back() - degrees.front()) / static_cast<double>(degrees.size() - 1);
  for (std::size_t i = 0; i < degrees.size(); ++i) {
    if (std::abs(degrees.front() + static_cast<double>(i) * step - degrees[i]) > kSame) return {};
  }
  return step == 0 ? std::nullopt : std::optional(step);
}

bool are_of_gauss(const std::vector<double>& degrees, bool rises) {
  const auto rows = static_cast<Index>(degrees.size());
  if (rows < 2 || rows % 2 != 0 || rows > kMostRows) return false;
  const std::vector<double> expected = gaussian_latitudes(rows / 2);
  for (std::size_t j = 0; j < degrees.size(); ++j) {
    const std::size_t from_north = rises ? degrees.size() - 1 - j : j;
    if (std::abs(degrees[j] - expected[from_north]) > 1e-4) return false;
  }
  return true;
}

/// Where steps are whole millionths they are said; elsewhere readers divide.
void add_step(GridKeys& keys, const std::string& name, double step, std::size_t count) {
  const double whole = static_cast<double>(millionths(std::abs(step))) * 1e-6;
  const bool is_exact = std::abs(whole - std::abs(step)) * static_cast<double>(count) < 1e-6;
  keys.numbers.emplace_back(name, is_exact ? millionths(whole) : GridKeys::kMissing);
}

std::optional<GridKeys> on_rows(const FileDimension& x, const FileDimension& y) {
  if (!has_degrees(x, "longitude", "degrees_east") || !has_degrees(y, "latitude", "degrees_north")) return {};
  const auto& longitudes = x.coordinates;
  const auto& latitudes = y.coordinates;
  const auto step_x = even_step(longitudes);
  if (!step_x || *step_x < 0 || latitudes.size() < 2) return {};
  const bool rises = latitudes.back() > latitudes.front();
  const auto step_y = even_step(latitudes);
  const bool is_gaussian = are_of_gauss(latitudes, rises);
  if (!step_y && !is_gaussian) return {};
  GridKeys keys;
  keys.numbers = {{"gridDefinitionTemplateNumber", is_gaussian ? kGaussian : kLatLon},
                  {"shapeOfTheEarth", 6},
                  {"numberOfDataPoints", x.size * y.size},
                  {"Ni", x.size},
                  {"Nj", y.size},
                  {"latitudeOfFirstGridPoint", millionths(latitudes.front())},
                  {"longitudeOfFirstGridPoint", millionths_east(longitudes.front())},
                  {"latitudeOfLastGridPoint", millionths(latitudes.back())},
                  {"longitudeOfLastGridPoint", millionths_east(longitudes.back())}};
  add_step(keys, "iDirectionIncrement", *step_x, longitudes.size());
  if (is_gaussian) {
    keys.numbers.emplace_back("N", y.size / 2);
  } else {
    add_step(keys, "jDirectionIncrement", *step_y, latitudes.size());
  }
  keys.numbers.emplace_back("scanningMode", rises ? 64 : 0);
  return keys;
}

/// Values of a static variable with this standard name on the dimension.
std::vector<double> places(const FileDefinition& definition, std::uint32_t dimension,
                           const std::string& name) {
  for (const FileStatic& one : definition.statics) {
    const bool is_it = text_of(one.attributes, "standard_name") == name &&
                       one.dimensions == std::vector<std::uint32_t>{dimension} && one.values &&
                       one.type == ElementType::float64;
    if (!is_it) continue;
    std::vector<double> values(static_cast<std::size_t>(definition.dimensions[dimension].size));
    if (one.values->size_bytes() != values.size() * sizeof(double)) return {};
    one.values->read(0, std::as_writable_bytes(std::span(values)));
    return values;
  }
  return {};
}

/// Rows of Gaussian latitudes from north to south, each with points at equal distances from 0° on.
std::optional<GridKeys> on_reduced_rows(const FileDefinition& definition, std::uint32_t dimension) {
  const std::vector<double> latitudes = places(definition, dimension, "latitude");
  const std::vector<double> longitudes = places(definition, dimension, "longitude");
  if (latitudes.empty() || longitudes.empty()) return {};
  std::vector<double> rows;
  GridKeys keys;
  for (std::size_t i = 0; i < latitudes.size(); ++i) {
    if (rows.empty() || std::abs(latitudes[i] - rows.back()) > kSame) {
      rows.push_back(latitudes[i]);
      keys.points_of_rows.push_back(0);
      if (std::ssize(rows) > kMostRows) return {};
    }
    ++keys.points_of_rows.back();
  }
  if (!are_of_gauss(rows, false)) return {};
  double last = 0;
  std::size_t first = 0;
  for (const long points : keys.points_of_rows) {
    const double step = 360.0 / static_cast<double>(points);
    for (long i = 0; i < points; ++i, ++first) {
      if (std::abs(longitudes[first] - static_cast<double>(i) * step) > kSame) return {};
    }
    last = std::max(last, 360 - step);
  }
  keys.numbers = {{"gridDefinitionTemplateNumber", kGaussian},
                  {"shapeOfTheEarth", 6},
                  {"numberOfDataPoints", std::ssize(latitudes)},
                  {"Ni", GridKeys::kMissing},
                  {"Nj", std::ssize(rows)},
                  {"latitudeOfFirstGridPoint", millionths(rows.front())},
                  {"longitudeOfFirstGridPoint", 0},
                  {"latitudeOfLastGridPoint", millionths(rows.back())},
                  {"longitudeOfLastGridPoint", millionths(last)},
                  {"iDirectionIncrement", GridKeys::kMissing},
                  {"N", std::ssize(rows) / 2},
                  {"scanningMode", 0}};
  return keys;
}

}  // namespace

GridKeys grid_of(const FileDefinition& definition, const std::vector<std::uint32_t>& plane) {
  std::optional<GridKeys> found;
  if (plane.size() == 2) found = on_rows(definition.dimensions[plane[0]], definition.dimensions[plane[1]]);
  if (plane.size() == 1) found = on_reduced_rows(definition, plane[0]);
  if (found) return *found;
  long points = 1;
  for (const std::uint32_t d : plane) points *= definition.dimensions[d].size;
  return {{{"gridDefinitionTemplateNumber", kPoints},
           {"shapeOfTheEarth", 6},
           {"numberOfDataPoints", points},
           {"numberOfGridUsed", 0},
           {"numberOfGridInReference", 0}}};
}

}  // namespace pileus::grib
