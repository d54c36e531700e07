// at: values at stations, the nearest or between neighbours, from wherever they lie.

#include <algorithm>
#include <cmath>
#include <functional>

#include "by_place/neighbours.h"
#include "core/catalogue.h"
#include "core/cell_bounds.h"
#include "core/shortest.h"

namespace pileus {
namespace operators {
Declaration at();
}
namespace {

using operators::Dimension;
using operators::kUnknownSize;
using operators::ParameterError;
using operators::ParameterKind;
using operators::Quantity;

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
    is_longitude_ = operators::is_longitude(dimension);
    if (places_.empty()) throw ParameterError("dimensions", "\"" + name_ + "\" has no coordinates");
    if (!is_strictly_monotonic(places_))
      throw ParameterError("dimensions",
                           "the coordinates of \"" + name_ + "\" do not rise or fall all along");
    if (places_.size() < 2) throw ParameterError("dimensions", "\"" + name_ + "\" has a single element");
  }

  /// Errors: ParameterError where it lies outside, by more than half a step.
  Between find(double place, bool is_nearest) const {
    const auto n = static_cast<Index>(places_.size());
    for (const double turn : {0.0, 360.0, -360.0}) {
      const double wanted = place + turn;
      const Index above = first_beyond(wanted);
      if (above > 0 && above < n) return between(above - 1, above, coordinate(above), wanted, is_nearest);
      if (is_longitude_ && operators::go_around(places_)) {
        const double next = coordinate(0) + (coordinate(n - 1) > coordinate(0) ? 360 : -360);
        if (is_between(wanted, coordinate(n - 1), next)) return between(n - 1, 0, next, wanted, is_nearest);
      }
      const double first = std::abs(coordinate(1) - coordinate(0)) / 2,
                   last = std::abs(coordinate(n - 1) - coordinate(n - 2)) / 2;
      if (std::abs(wanted - coordinate(0)) <= first) return {0, 0, 0};
      if (std::abs(wanted - coordinate(n - 1)) <= last) return {n - 1, n - 1, 0};
      if (!is_longitude_) break;
    }
    throw ParameterError(parameter_, shortest(place) + " lies outside of \"" + name_ +
                                         "\", which goes from " + shortest(places_.front()) + " to " +
                                         shortest(places_.back()));
  }

 private:
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

/// Latitudes and longitudes of stations, which files then have.
std::shared_ptr<const PlacesOfCells> places_of(const std::string& name, std::vector<double> latitudes,
                                               std::vector<double> longitudes) {
  auto places = std::make_shared<PlacesOfCells>();
  for (const auto* one : {&latitudes, &longitudes})
    for (const double number : *one) places->identity += shortest(number) + " ";
  places->grid = name;
  places->latitude = name + "_latitude";
  places->longitude = name + "_longitude";
  places->read = [latitudes = std::move(latitudes), longitudes = std::move(longitudes)](
                     CellPart part, Index first, Index count) {
    const std::vector<double>& all = part == CellPart::latitude ? latitudes : longitudes;
    return std::vector<double>(all.begin() + first, all.begin() + first + count);
  };
  return places;
}

Regridding stations_of(const operators::Rule& rule, const ReadGrid&) {
  const Quantity& field = rule.inputs.front();
  const std::vector<std::string> names = rule.list("dimensions");
  if (names.size() != 2) throw ParameterError("dimensions", "two are needed, for example \"lat,lon\"");
  const std::vector<double> y = rule.numbers("y"), x = rule.numbers("x");
  if (y.size() != x.size())
    throw ParameterError("x", std::to_string(x.size()) + " places along \"" + names[1] + "\" for " +
                                  std::to_string(y.size()) + " along \"" + names[0] + "\"");
  if (y.empty()) throw ParameterError("y", "there is no station");
  const int y_axis = rule.axis("dimensions", field, names[0]),
            x_axis = rule.axis("dimensions", field, names[1]);
  if (std::abs(y_axis - x_axis) != 1)
    throw ParameterError("dimensions", y_axis == x_axis
                                           ? "\"" + names[0] + "\" is there twice"
                                           : "\"" + field.name + "\" has other dimensions between them");
  const Dimension &of_y = field.dimensions[static_cast<std::size_t>(y_axis)],
                  &of_x = field.dimensions[static_cast<std::size_t>(x_axis)];
  const bool is_nearest = rule.text("method") == "nearest";
  Regridding how;
  how.axes = {std::min(y_axis, x_axis), std::max(y_axis, x_axis)};
  how.dimensions = {{rule.text("station"), static_cast<Index>(y.size())}};
  how.target_size = static_cast<Index>(y.size());
  how.source_size = std::max<Index>(of_y.size, 1) * std::max<Index>(of_x.size, 1);
  how.missing = LinkMissing::missing;
  // Their coordinates follow from the names of the dimensions.
  how.links_name = "stations " + rule.text("method") + " " + names[0] + " " + names[1] +
                   (x_axis < y_axis ? " x first" : " y first");
  for (const auto* list : {&y, &x})
    for (const double place : *list) how.links_name += " " + shortest(place);
  if (operators::is_latitude(of_y) && operators::is_longitude(of_x))
    how.places = places_of(rule.text("station"), y, x);
  if (of_y.size == kUnknownSize || of_x.size == kUnknownSize) return how;
  const Finder along_y(of_y, "y"), along_x(of_x, "x");
  const auto rows = std::make_shared<LinkRows>();
  for (std::size_t i = 0; i < y.size(); ++i) {
    const Between in_y = along_y.find(y[i], is_nearest), in_x = along_x.find(x[i], is_nearest);
    const bool is_x_fast = x_axis < y_axis;
    add_station(is_x_fast ? in_x : in_y, is_x_fast ? in_y : in_x, is_x_fast ? of_x.size : of_y.size, *rows);
  }
  how.links = [rows](Index first, Index count) { return some_rows(*rows, first, count); };
  return how;
}

}  // namespace

Declaration operators::at() {
  Declaration declaration{
      "at",
      "Values at stations: those of the nearest element, or bilinear between four, in double precision. The "
      "two dimensions become one of the stations; of latitudes and longitudes the file has those of the "
      "stations.",
      {{"field", ParameterKind::name, true, "", {}, "the field or result"},
       {"dimensions",
        ParameterKind::names,
        true,
        "",
        {},
        "the two dimensions, with coordinates: \"lat,lon\""},
       {"y",
        ParameterKind::numbers,
        true,
        "",
        {},
        "where stations lie along the first, for example \"51.5 48.9\"; or a file with one in each line"},
       {"x", ParameterKind::numbers, true, "", {}, "where along the second; longitudes modulo 360"},
       {"method", ParameterKind::word, false, "nearest", {"nearest", "bilinear"}, "which elements count"},
       {"station", ParameterKind::text, false, "station", {}, "the name of the dimension of the stations"}},
      RuleKind::regrid};
  declaration.regrid = stations_of;
  return declaration;
}

}  // namespace pileus
