#include "formats/netcdf/target_check.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/error.h"
#include "core/place.h"
#include "formats/netcdf/weights_file.h"

namespace pileus::netcdf {
namespace {

std::string here(const Place& theirs, const Place& ours) {
  return " of theirs lies at " + text(theirs) + ", and here it lies at " + text(ours) +
         "; make them anew with \"pileus weights\"";
}

void check_centre(const std::string& path, Index point, const Place& theirs, const Place& ours) {
  if (is_same_place(theirs, ours)) return;
  if (!std::isfinite(ours.latitude) || !std::isfinite(ours.longitude)) {
    throw UsageError("the grid that " + path + " leads to has no place for its point " +
                     std::to_string(point) + ": its file has changed");
  }
  throw UsageError(path + ": these weights lead to another grid: point " + std::to_string(point) +
                   here(theirs, ours));
}

std::vector<Place> corners_of(const std::vector<double>& latitude, const std::vector<double>& longitude,
                              std::size_t cell, Index corners) {
  const auto n = static_cast<std::size_t>(corners);
  std::vector<Place> found;
  for (std::size_t i = cell * n; i < (cell + 1) * n; ++i) {
    const Place place{latitude[i], longitude[i]};
    if (std::isfinite(place.latitude) && std::isfinite(place.longitude)) found.push_back(place);
  }
  return found;
}

/// Tools repeat a corner where a cell has fewer than others, and begin with any: each must be one of the
/// others. REQUIRES: both have some.
void check_corners(const std::string& path, Index point, const std::vector<Place>& theirs,
                   const std::vector<Place>& ours) {
  const auto nearest = [](const Place& place, const std::vector<Place>& among) {
    return *std::ranges::min_element(among, {}, [&](const Place& other) {
      return std::hypot(place.latitude - other.latitude,
                        std::remainder(place.longitude - other.longitude, 360));
    });
  };
  const auto is_among = [](const Place& place, const std::vector<Place>& among) {
    return std::ranges::any_of(among, [&](const Place& other) { return is_same_place(place, other); });
  };
  for (const Place& place : theirs) {
    if (!is_among(place, ours)) {
      throw UsageError(path + ": these weights lead to cells with other bounds: a corner of cell " +
                       std::to_string(point) + here(place, nearest(place, ours)));
    }
  }
  for (const Place& place : ours) {
    if (!is_among(place, theirs)) {
      throw UsageError(path + ": these weights lead to cells with other bounds: a corner of cell " +
                       std::to_string(point) + here(nearest(place, theirs), place));
    }
  }
}

/// CDO says "Conservative remapping", ESMF "Conservative".
bool is_conservative(const WeightsHead& head) { return head.method.find("onservative") != std::string::npos; }

}  // namespace

void check_target(const std::string& path, const GridsOfWeights& grids, Index first, Index count) {
  if (!grids.target_places) return;
  const Cells file = read_target_cells(path, first, count);
  if (file.centres.latitude.empty() || file.centres.longitude.empty()) return;
  const CellPlaces ours = grids.target_places(first, count);
  if (ours.latitude.empty()) return;
  const bool has_corners = file.corners > 0 && !file.corner_longitude.empty() && ours.corners > 0 &&
                           is_conservative(read_weights_head(path));
  for (std::size_t i = 0; i < file.centres.latitude.size(); ++i) {
    const Index point = first + static_cast<Index>(i);
    check_centre(path, point, {file.centres.latitude[i], file.centres.longitude[i]},
                 {ours.latitude[i], ours.longitude[i]});
    if (!has_corners) continue;
    const auto theirs = corners_of(file.corner_latitude, file.corner_longitude, i, file.corners);
    const auto mine = corners_of(ours.corner_latitude, ours.corner_longitude, i, ours.corners);
    if (!theirs.empty() && !mine.empty()) check_corners(path, point, theirs, mine);
  }
}

}  // namespace pileus::netcdf
