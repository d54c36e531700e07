#include "weights/target_grid.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "weights/bounded_axis.h"
#include "weights/gaussian_latitudes.h"
#include "weights/healpix.h"

namespace pileus {
namespace {

constexpr Index kMostCells = Index{1} << 31;
constexpr Index kMostOfAxis = Index{1} << 20;  ///< longitudes, latitudes: their coordinates are kept

const char* const kForms =
    "r360x180 (longitudes x latitudes), F32 (Gaussian), hp32 (HEALPix) or lon=FROM:TO:STEP,lat=FROM:TO:STEP";

std::string without_blanks(std::string_view text) {
  std::string out;
  std::ranges::copy_if(text, std::back_inserter(out), [](unsigned char c) { return !std::isspace(c); });
  return out;
}

/// A whole number of digits alone; nothing otherwise.
std::optional<Index> whole_number(std::string_view text) {
  Index number = 0;
  if (text.empty() || !std::isdigit(static_cast<unsigned char>(text.front()))) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range) return kMostCells + 1;
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string quoted(const std::string& cells) { return "grid \"" + cells + "\""; }

void check_size(const std::string& cells, Index slow, Index fast) {
  if (slow < 1 || fast < 1) throw UsageError(quoted(cells) + " has no cells");
  if (slow > kMostCells / fast) throw UsageError(quoted(cells) + " has more than 2^31 cells");
}

void check_axes(const std::string& cells, Index latitudes, Index longitudes) {
  check_size(cells, latitudes, longitudes);
  if (std::max(latitudes, longitudes) > kMostOfAxis)
    throw UsageError(quoted(cells) + " has more than 2^20 longitudes or latitudes");
}

/// Longitudes from 0, the bounds half way between them.
TargetDimension longitudes(Index size) {
  TargetDimension axis{"lon", size, {}, {}};
  const auto n = static_cast<double>(size);
  for (Index i = 0; i < size; ++i) {
    axis.values.push_back(static_cast<double>(360 * i) / n);
    axis.bounds.push_back(static_cast<double>(360 * i - 180) / n);
    axis.bounds.push_back(static_cast<double>(360 * i + 180) / n);
  }
  return axis;
}

/// From south to north. An odd number, but one, begins and ends at the poles, with half cells there.
TargetDimension regular_latitudes(Index size) {
  TargetDimension axis{"lat", size, {}, {}};
  const bool has_poles = size > 1 && size % 2 == 1;
  const Index steps = has_poles ? size - 1 : size;
  const auto n = static_cast<double>(2 * steps);
  for (Index i = 0; i < size; ++i) {
    const Index centre = has_poles ? 2 * i : 2 * i + 1;  // in half steps from the south pole
    const Index low = std::max<Index>(centre - 1, 0), high = std::min(centre + 1, 2 * steps);
    axis.values.push_back(static_cast<double>(180 * (centre - steps)) / n);
    axis.bounds.push_back(static_cast<double>(180 * (low - steps)) / n);
    axis.bounds.push_back(static_cast<double>(180 * (high - steps)) / n);
  }
  return axis;
}

/// From north to south; the bounds half way between the latitudes, as CDO has them.
TargetDimension gaussian_axis(Index number) {
  TargetDimension axis{"lat", 2 * number, gaussian_latitudes(number), {}};
  const std::vector<double>& values = axis.values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    axis.bounds.push_back(i == 0 ? 90 : (values[i - 1] + values[i]) / 2);
    axis.bounds.push_back(i + 1 == values.size() ? -90 : (values[i] + values[i + 1]) / 2);
  }
  return axis;
}

std::optional<TargetGrid> regular_grid(const std::string& cells) {
  const std::size_t x = cells.find('x');
  if (!cells.starts_with('r') || x == cells.npos) return std::nullopt;
  const auto nx = whole_number(std::string_view(cells).substr(1, x - 1));
  const auto ny = whole_number(std::string_view(cells).substr(x + 1));
  if (!nx || !ny) return std::nullopt;
  check_axes(cells, *ny, *nx);
  return TargetGrid{TargetGrid::Kind::lonlat, cells, {longitudes(*nx), regular_latitudes(*ny)}};
}

std::optional<TargetGrid> gaussian_grid(const std::string& cells) {
  if (cells.empty() || std::string_view("FNfn").find(cells.front()) == std::string_view::npos)
    return std::nullopt;
  const auto number = whole_number(std::string_view(cells).substr(1));
  if (!number) return std::nullopt;
  if (cells.front() != 'F') {
    throw UsageError(quoted(cells) + ": what CDO calls so is the regular Gaussian grid; write F" +
                     std::to_string(*number));
  }
  check_axes(cells, 2 * *number, 4 * *number);
  TargetGrid grid{TargetGrid::Kind::gaussian, cells, {longitudes(4 * *number), gaussian_axis(*number)}};
  grid.gaussian_number = *number;
  return grid;
}

std::optional<TargetGrid> healpix_grid(const std::string& cells) {
  if (!cells.starts_with("hp")) return std::nullopt;
  std::string_view digits = std::string_view(cells).substr(2);
  const std::string_view order = digits.substr(std::min(digits.find('_'), digits.size()));
  digits.remove_suffix(order.size());
  const auto nside = whole_number(digits);
  const bool is_nested = order == "_nest" || order == "_nested";
  if (!nside || (!is_nested && !order.empty() && order != "_ring")) return std::nullopt;
  check_size(cells, *nside, *nside);
  check_size(cells, 12 * *nside, *nside);
  if (is_nested && (*nside & (*nside - 1)) != 0)
    throw UsageError(quoted(cells) + ": in nested order the number is a power of two");
  const std::string name = "hp" + std::to_string(*nside) + (is_nested ? "_nest" : "");
  TargetGrid grid{TargetGrid::Kind::healpix, name, {{"cell", 12 * *nside * *nside, {}, {}}}};
  grid.nside = *nside;
  grid.is_nested = is_nested;
  grid.places = healpix_places(*nside, is_nested);
  return grid;
}

/// "lon=…,lat=…", in either order.
std::optional<TargetGrid> bounded_grid(const std::string& cells) {
  const std::size_t comma = cells.find(',');
  if (comma == cells.npos) return std::nullopt;
  std::string lon = cells.substr(0, comma), lat = cells.substr(comma + 1);
  if (lon.starts_with("lat=")) std::swap(lon, lat);
  if (!lon.starts_with("lon=") || !lat.starts_with("lat=")) return std::nullopt;
  TargetGrid grid{TargetGrid::Kind::lonlat, lon + "," + lat, {}};
  grid.dimensions = {bounded_axis("lon", lon.substr(4)), bounded_axis("lat", lat.substr(4))};
  check_size(cells, grid.dimensions[1].size, grid.dimensions[0].size);
  return grid;
}

}  // namespace

Index TargetGrid::size() const {
  Index size = 1;
  for (const TargetDimension& dimension : dimensions) size *= dimension.size;
  return size;
}

TargetGrid read_target_grid(std::string_view description) {
  const std::string cells = without_blanks(description);
  for (const auto read : {regular_grid, gaussian_grid, healpix_grid, bounded_grid}) {
    if (auto grid = read(cells)) return *std::move(grid);
  }
  throw UsageError("\"" + std::string(description) + "\" describes no grid: expected " + kForms);
}

RegridDimension axis_in_degrees(const TargetDimension& axis, bool is_longitude) {
  RegridDimension made{axis.name, axis.size, axis.values, axis.bounds};
  made.units = is_longitude ? "degrees_east" : "degrees_north";
  made.standard_name = is_longitude ? "longitude" : "latitude";
  made.axis = is_longitude ? "X" : "Y";
  return made;
}

std::string weights_file_name(std::string_view source, std::string_view target, std::string_view method) {
  std::string name =
      std::string(source) + "-to-" + without_blanks(target) + "-" + std::string(method) + ".nc";
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c)) &&
        std::string_view("._+-").find(c) == std::string_view::npos)
      c = '_';
  }
  return name;
}

}  // namespace pileus
