#include "by_place/place_links.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <span>

#include "by_place/neighbours.h"
#include "core/cell_bounds.h"
#include "core/shortest.h"
#include "weights/station_table.h"

namespace pileus::operators {
namespace {

/// Where a station lies in one dimension: on an element, or between two.
struct Between {
  Index low = 0, high = 0;
  double high_weight = 0;
};

/// Finds places among coordinates that rise or fall. Longitudes are found modulo 360.
class Finder {
 public:
  Finder(const Dimension& dimension, std::string parameter)
      : places_(dimension.coordinates), parameter_(std::move(parameter)), name_(dimension.name) {
    is_longitude_ = is_longitude(dimension);
    if (places_.empty()) throw ParameterError("dimensions", "\"" + name_ + "\" has no coordinates");
    if (!is_strictly_monotonic(places_))
      throw ParameterError("dimensions",
                           "the coordinates of \"" + name_ + "\" do not rise or fall all along");
    if (places_.size() < 2) throw ParameterError("dimensions", "\"" + name_ + "\" has a single element");
  }

  /// Errors: ParameterError where it lies outside, by more than half a step; `called`: what it is called.
  Between find(double place, bool is_nearest, const std::string& called) const {
    for (const double turn : turns())
      if (const auto found = inside(place + turn, is_nearest)) return *found;
    for (const double turn : turns())
      if (const auto found = near_an_end(place + turn)) return *found;
    throw ParameterError(parameter_, called + shortest(place) + " lies outside of \"" + name_ +
                                         "\", which goes from " + shortest(places_.front()) + " to " +
                                         shortest(places_.back()));
  }

 private:
  std::span<const double> turns() const {
    static constexpr double kTurns[] = {0.0, 360.0, -360.0, 720.0, -720.0};
    return std::span(kTurns).first(is_longitude_ ? 5 : 1);
  }
  /// Between two elements, or between the last and the first around the globe.
  std::optional<Between> inside(double wanted, bool is_nearest) const {
    const auto n = static_cast<Index>(places_.size());
    const Index above = first_beyond(wanted);
    if (above > 0 && above < n) return between(above - 1, above, coordinate(above), wanted, is_nearest);
    if (!is_longitude_ || !go_around(places_)) return {};
    const double next = coordinate(0) + (coordinate(n - 1) > coordinate(0) ? 360 : -360);
    if (!is_between(wanted, coordinate(n - 1), next)) return {};
    return between(n - 1, 0, next, wanted, is_nearest);
  }
  /// In the outer half of the first cell or of the last one.
  std::optional<Between> near_an_end(double wanted) const {
    const auto n = static_cast<Index>(places_.size());
    const double first = std::abs(coordinate(1) - coordinate(0)) / 2,
                 last = std::abs(coordinate(n - 1) - coordinate(n - 2)) / 2;
    if (std::abs(wanted - coordinate(0)) <= first) return Between{0, 0, 0};
    if (std::abs(wanted - coordinate(n - 1)) <= last) return Between{n - 1, n - 1, 0};
    return {};
  }
  double coordinate(Index i) const { return places_[static_cast<std::size_t>(i)]; }
  static bool is_between(double x, double a, double b) { return x >= std::min(a, b) && x <= std::max(a, b); }
  /// The first element that lies behind the place, in the direction of the dimension.
  Index first_beyond(double place) const {
    const bool rises = places_.back() > places_.front();
    const auto found = rises ? std::ranges::upper_bound(places_, place)
                             : std::ranges::upper_bound(places_, place, std::greater<>());
    return found - places_.begin();
  }
  /// `high_place`: that of `high`, once around the globe where it is the first one.
  Between between(Index low, Index high, double high_place, double wanted, bool is_nearest) const {
    return rounded({low, high, (wanted - coordinate(low)) / (high_place - coordinate(low))}, is_nearest);
  }
  static Between rounded(Between place, bool is_nearest) {
    if (place.high_weight == 0) place.high = place.low;
    if (!is_nearest) return place;
    const Index nearest = place.high_weight > 0.5 ? place.high : place.low;
    return {nearest, nearest, 0};
  }

  std::vector<double> places_;
  std::string parameter_, name_;
  bool is_longitude_ = false;
};

/// A station's links; `fast` and `slow`: where it lies in the two dimensions.
void add_station(const Between& fast, const Between& slow, Index size, LinkRows& rows) {
  std::vector<std::pair<Index, double>> links;
  for (const auto& [j, y] :
       {std::pair(slow.low, 1 - slow.high_weight), std::pair(slow.high, slow.high_weight)})
    for (const auto& [i, x] :
         {std::pair(fast.low, 1 - fast.high_weight), std::pair(fast.high, fast.high_weight)})
      if (x * y != 0) links.emplace_back(j * size + i, y * x);
  std::ranges::sort(links);
  for (const auto& [source, weight] : links) {
    rows.source.push_back(source);
    rows.weight.push_back(weight);
  }
  rows.begin.push_back(rows.source.size());
}

LinkRows some_rows(const LinkRows& all, Index first, Index count) {
  LinkRows rows;
  for (Index row = first; row < first + count; ++row) {
    const auto begin = all.begin[static_cast<std::size_t>(row)],
               end = all.begin[static_cast<std::size_t>(row) + 1];
    for (auto link = begin; link < end; ++link) {
      rows.source.push_back(all.source[link]);
      rows.weight.push_back(all.weight[link]);
    }
    rows.begin.push_back(rows.source.size());
  }
  return rows;
}

}  // namespace

Plane plane_of(const Rule& rule, const Quantity& field) {
  const std::vector<std::string> names = rule.list("dimensions");
  if (names.size() != 2) throw ParameterError("dimensions", "two are needed, for example \"lat,lon\"");
  Plane plane{names[0], names[1], rule.axis("dimensions", field, names[0]),
              rule.axis("dimensions", field, names[1])};
  if (std::abs(plane.y_axis - plane.x_axis) != 1) {
    throw ParameterError("dimensions", plane.y_axis == plane.x_axis
                                           ? "\"" + names[0] + "\" is there twice"
                                           : "\"" + field.name + "\" has other dimensions between them");
  }
  if (is_longitude(field.dimensions[static_cast<std::size_t>(plane.y_axis)]) &&
      is_latitude(field.dimensions[static_cast<std::size_t>(plane.x_axis)])) {
    throw ParameterError("dimensions", "latitude comes first: write [" + names[1] + "," + names[0] +
                                           "], and places in that order");
  }
  plane.is_on_sphere = is_latitude(field.dimensions[static_cast<std::size_t>(plane.y_axis)]) &&
                       is_longitude(field.dimensions[static_cast<std::size_t>(plane.x_axis)]);
  return plane;
}

Regridding at_places(const Quantity& field, const Plane& plane, Places places, bool is_nearest,
                     RegridDimension dimension) {
  const Dimension &of_y = field.dimensions[static_cast<std::size_t>(plane.y_axis)],
                  &of_x = field.dimensions[static_cast<std::size_t>(plane.x_axis)];
  const std::string name = dimension.name;
  Regridding how;
  how.axes = {std::min(plane.y_axis, plane.x_axis), std::max(plane.y_axis, plane.x_axis)};
  dimension.size = std::ssize(places.y);
  how.target_size = dimension.size;
  how.dimensions = {std::move(dimension)};
  how.source_size = std::max<Index>(of_y.size, 1) * std::max<Index>(of_x.size, 1);
  how.missing = LinkMissing::missing;
  // Their coordinates follow from the names of the dimensions.
  how.links_name = std::string("stations ") + (is_nearest ? "nearest " : "bilinear ") + plane.y_name + " " +
                   plane.x_name + (plane.x_axis < plane.y_axis ? " x first" : " y first");
  for (const auto* list : {&places.y, &places.x})
    for (const double place : *list) how.links_name += " " + shortest(place);
  if (of_y.size != kUnknownSize && of_x.size != kUnknownSize) {
    const Finder along_y(of_y, places.parameter_y), along_x(of_x, places.parameter_x);
    const auto rows = std::make_shared<LinkRows>();
    const bool is_x_fast = plane.x_axis < plane.y_axis;
    for (std::size_t i = 0; i < places.y.size(); ++i) {
      const std::string called = places.names.empty() ? "" : "\"" + places.names[i] + "\" at ";
      const Between in_y = along_y.find(places.y[i], is_nearest, called),
                    in_x = along_x.find(places.x[i], is_nearest, called);
      add_station(is_x_fast ? in_x : in_y, is_x_fast ? in_y : in_x, is_x_fast ? of_x.size : of_y.size, *rows);
    }
    how.links = [rows](Index first, Index count) { return some_rows(*rows, first, count); };
  }
  const std::shared_ptr<PlacesOfCells> written = places_of_stations(
      name, {std::move(places.names), std::move(places.y), std::move(places.x), std::move(places.altitude)});
  if (!plane.is_on_sphere) {
    written->plane_units = {of_y.units, of_x.units};
    written->latitude = name + "_" + plane.y_name;
    written->longitude = name + "_" + plane.x_name;
  }
  how.places = written;
  return how;
}

}  // namespace pileus::operators
