// at: values at stations, the nearest or between neighbours, from wherever they lie.

#include "by_place/place_links.h"
#include "core/catalogue.h"
#include "core/error.h"
#include "weights/station_table.h"

namespace pileus {
namespace operators {
Declaration at();
}
namespace {

using operators::ParameterError;
using operators::ParameterKind;
using operators::Places;

Places places_of_table(const operators::Rule& rule, const operators::Plane& plane) {
  if (!rule.text("y").empty() || !rule.text("x").empty())
    throw ParameterError("stations", "the table has the places of stations: leave out y and x");
  try {
    StationTable table =
        read_station_table(rule.text("stations"), plane.y_name, plane.x_name, plane.is_on_sphere);
    return {std::move(table.y),        std::move(table.x), std::move(table.names),
            std::move(table.altitude), "stations",         "stations"};
  } catch (const UsageError& error) {
    throw ParameterError("stations", error.what());
  }
}

Places places_of(const operators::Rule& rule, const operators::Plane& plane) {
  if (!rule.text("stations").empty()) return places_of_table(rule, plane);
  Places places{rule.numbers("y"), rule.numbers("x"), {}, {}, "y", "x"};
  if (places.y.size() != places.x.size()) {
    throw ParameterError("x", std::to_string(places.x.size()) + " places along \"" + plane.x_name +
                                  "\" for " + std::to_string(places.y.size()) + " along \"" + plane.y_name +
                                  "\"");
  }
  if (places.y.empty())
    throw ParameterError("y", "there is no station: write y and x, or stations='file:stations.csv'");
  return places;
}

Regridding stations_of(const operators::Rule& rule, const ReadGrid&) {
  const operators::Quantity& field = rule.inputs.front();
  const operators::Plane plane = operators::plane_of(rule, field);
  return operators::at_places(field, plane, places_of(rule, plane), rule.text("method") == "nearest",
                              {rule.text("station")});
}

}  // namespace

Declaration operators::at() {
  Declaration declaration{
      "at",
      "Values at stations: those of the nearest element, or bilinear between four, in double precision. The "
      "two dimensions become one of the stations; the file has where they lie, and the names and altitudes "
      "of "
      "a table.",
      {{"field", ParameterKind::name, true, "", {}, "the field or result"},
       {"dimensions",
        ParameterKind::names,
        true,
        "",
        {},
        "the two dimensions, with coordinates: \"lat,lon\""},
       {"y",
        ParameterKind::numbers,
        false,
        "",
        {},
        "where stations lie along the first, for example \"51.5 48.9\"; or a file with one in each line"},
       {"x", ParameterKind::numbers, false, "", {}, "where along the second; longitudes modulo 360"},
       {"stations",
        ParameterKind::table,
        false,
        "",
        {},
        "in place of these a table, whose first line names its columns: name, latitude and longitude, or as "
        "the dimensions are called, and perhaps altitude, m"},
       {"method", ParameterKind::word, false, "nearest", {"nearest", "bilinear"}, "which elements count"},
       {"station", ParameterKind::text, false, "station", {}, "the name of the dimension of the stations"}},
      RuleKind::regrid};
  declaration.regrid = stations_of;
  return declaration;
}

}  // namespace pileus
