// section: values along a line through a field, for cross-sections.

#include <array>
#include <cmath>
#include <numbers>

#include "by_place/neighbours.h"
#include "by_place/place_links.h"
#include "core/catalogue.h"
#include "functions/elementary.h"
#include "functions/functions.h"

namespace pileus {
namespace operators {
Declaration section();
}
namespace {

using operators::ParameterError;
using operators::ParameterKind;
using operators::Places;

/// A line that reads each element many times is a mistake, and one of a million points a table by itself.
constexpr Index kMostPoints = 1'000'000;
constexpr double kRadiansOfDegree = std::numbers::pi / 180;

struct Line {
  Places places{{}, {}, {}, {}, "from", "from"};
  std::vector<double> distance;
  std::string units;
};

double share(Index i, Index points) { return static_cast<double>(i) / static_cast<double>(points - 1); }

/// The ends are exactly what was asked for.
double between(double from, double to, double share) { return share == 1 ? to : from + (to - from) * share; }

void straight(const std::vector<double>& from, const std::vector<double>& to, Index points, Line& line) {
  const double length = hypotenuse(to[0] - from[0], to[1] - from[1]);
  for (Index i = 0; i < points; ++i) {
    const double s = share(i, points);
    line.places.y.push_back(between(from[0], to[0], s));
    line.places.x.push_back(between(from[1], to[1], s));
    line.distance.push_back(length * s);
  }
}

using Vector = std::array<double, 3>;

Vector on_sphere(double latitude, double longitude) {
  const double y = latitude * kRadiansOfDegree, x = longitude * kRadiansOfDegree;
  return {cosine(y) * cosine(x), cosine(y) * sine(x), sine(y)};
}

double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

double angle_between(const Vector& a, const Vector& b) {
  const Vector cross = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  return arc_tangent_of_two(square_root(dot(cross, cross)), dot(a, b));
}

/// Along a great circle, the shorter way.
void great_circle(const std::vector<double>& from, const std::vector<double>& to, Index points, double radius,
                  Line& line) {
  const Vector a = on_sphere(from[0], from[1]), b = on_sphere(to[0], to[1]);
  const double angle = angle_between(a, b);
  if (angle < 1e-9) throw ParameterError("to", "the line ends where it begins");
  if (angle > std::numbers::pi - 1e-6)
    throw ParameterError("to", "it lies opposite to \"from\" on the globe, where every way is as short");
  for (Index i = 0; i < points; ++i) {
    const double s = share(i, points);
    const bool is_end = i == 0 || i == points - 1;
    const double of_a = sine((1 - s) * angle), of_b = sine(s * angle);
    Vector p;
    for (std::size_t k = 0; k < 3; ++k) p[k] = of_a * a[k] + of_b * b[k];
    const std::vector<double>& end = i == 0 ? from : to;
    line.places.y.push_back(is_end ? end[0]
                                   : arc_tangent_of_two(p[2], hypotenuse(p[0], p[1])) / kRadiansOfDegree);
    line.places.x.push_back(is_end ? end[1] : arc_tangent_of_two(p[1], p[0]) / kRadiansOfDegree);
    line.distance.push_back(radius * angle * s);
  }
}

std::vector<double> end_of(const operators::Rule& rule, const std::string& parameter,
                           const operators::Plane& plane) {
  std::vector<double> end = rule.numbers(parameter);
  if (end.size() != 2) {
    throw ParameterError(parameter, "two numbers are needed, the place along \"" + plane.y_name +
                                        "\" and that along \"" + plane.x_name + "\"");
  }
  if (plane.is_on_sphere && std::abs(end[0]) > 90)
    throw ParameterError(parameter, "latitudes go from -90 to 90");
  return end;
}

Regridding section_of(const operators::Rule& rule, const ReadGrid&) {
  const operators::Quantity& field = rule.inputs.front();
  const operators::Plane plane = operators::plane_of(rule, field);
  const std::vector<double> from = end_of(rule, "from", plane), to = end_of(rule, "to", plane);
  if (from == to) throw ParameterError("to", "the line ends where it begins");
  const Index points = rule.whole_number("points");
  if (points < 2 || points > kMostPoints)
    throw ParameterError("points", "a line has from 2 to " + std::to_string(kMostPoints) + " points");
  Line line;
  if (plane.is_on_sphere) {
    great_circle(from, to, points, operators::radius_of(rule), line);
    line.units = "m";
  } else {
    const auto units = [&](int axis) { return field.dimensions[static_cast<std::size_t>(axis)].units; };
    straight(from, to, points, line);
    if (units(plane.y_axis) == units(plane.x_axis)) line.units = units(plane.y_axis);
  }
  RegridDimension along{rule.text("section")};
  along.coordinates = std::move(line.distance);
  along.units = line.units;
  return operators::at_places(field, plane, std::move(line.places), rule.text("method") == "nearest",
                              std::move(along));
}

}  // namespace

Declaration operators::section() {
  Declaration declaration{
      "section",
      "Values along a line through two dimensions: a great circle where these are latitude and longitude, "
      "and "
      "straight otherwise. They become one dimension, whose coordinates are distances from the line's first "
      "point; the file has where its points lie.",
      {{"field", ParameterKind::name, true, "", {}, "the field or result"},
       {"dimensions",
        ParameterKind::names,
        true,
        "",
        {},
        "the two dimensions, with coordinates: \"lat,lon\""},
       {"from", ParameterKind::numbers, true, "", {}, "where it begins, along the first and the second"},
       {"to", ParameterKind::numbers, true, "", {}, "where it ends"},
       {"points", ParameterKind::whole_number, false, "100", {}, "how many, the ends among them"},
       {"method", ParameterKind::word, false, "bilinear", {"nearest", "bilinear"}, "which elements count"},
       {"section", ParameterKind::text, false, "section", {}, "the name of the dimension along the line"},
       {"radius", ParameterKind::number, false, "6371229", {}, "the radius of the sphere", "m"}},
      RuleKind::regrid};
  declaration.regrid = section_of;
  return declaration;
}

}  // namespace pileus
