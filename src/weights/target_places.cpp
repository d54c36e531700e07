#include "weights/target_places.h"

#include <utility>

namespace pileus {
namespace {

/// A cell between bounds of longitude and latitude has four corners.
void add_corners(CellPlaces& places, const RegridDimension& longitude, std::size_t x,
                 const RegridDimension& latitude, std::size_t y) {
  for (const auto& [east, north] : {std::pair(0u, 0u), {1u, 0u}, {1u, 1u}, {0u, 1u}}) {
    places.corner_longitude.push_back(longitude.bounds[2 * x + east]);
    places.corner_latitude.push_back(latitude.bounds[2 * y + north]);
  }
}

CellPlaces places_on_axes(const RegridDimension& fast, const RegridDimension& slow, Index first,
                          Index count) {
  CellPlaces places;
  if (fast.coordinates.empty() || slow.coordinates.empty()) return places;
  const bool is_longitude_fast = fast.standard_name == "longitude";
  const RegridDimension &longitude = is_longitude_fast ? fast : slow,
                        &latitude = is_longitude_fast ? slow : fast;
  if (!fast.bounds.empty() && !slow.bounds.empty()) places.corners = 4;
  for (Index point = first; point < first + count; ++point) {
    auto x = static_cast<std::size_t>(point % fast.size), y = static_cast<std::size_t>(point / fast.size);
    if (!is_longitude_fast) std::swap(x, y);
    places.longitude.push_back(longitude.coordinates[x]);
    places.latitude.push_back(latitude.coordinates[y]);
    if (places.corners > 0) add_corners(places, longitude, x, latitude, y);
  }
  return places;
}

}  // namespace

CellPlaces places_of_target(const Regridding& how, Index first, Index count) {
  if (!how.places) return places_on_axes(how.dimensions.front(), how.dimensions.back(), first, count);
  const auto read = [&](CellPart part) { return how.places->read(part, first, count); };
  CellPlaces places{read(CellPart::latitude), read(CellPart::longitude), how.places->corners, {}, {}};
  if (places.corners == 0) return places;
  places.corner_latitude = read(CellPart::latitude_bounds);
  places.corner_longitude = read(CellPart::longitude_bounds);
  return places;
}

}  // namespace pileus
