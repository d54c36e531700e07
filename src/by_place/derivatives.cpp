// ddx, ddy, ddz, d2dx2, d2dy2, d2dz2: derivatives along one dimension, across the borders of model ranks.

#include "by_place/neighbours.h"
#include "core/missing.h"

namespace pileus::operators {
namespace {

/// On a sphere the names mean directions: x is the way to the east, y that to the north.
void check_direction(char name, const Dimension& dimension) {
  const std::string way = is_longitude(dimension) ? "x" : is_latitude(dimension) ? "y" : "";
  if (way.empty() || way.front() == name) return;
  throw ParameterError("dimension", "\"" + dimension.name + "\" has the units " + dimension.units +
                                        ", which is the direction " + way + ": write dd" + way + " or d2d" +
                                        way + "2");
}

/// Divides by the lengths that radians of longitude or latitude have.
struct Metric {
  bool is_latitude = false, is_squared = false;
  std::optional<Sphere> longitudes = {};
  double radius = 1;

  void apply(const Region& region, double* values) const {
    if (longitudes) return longitudes->divide(region, is_squared, values);
    const double length = is_squared ? radius * radius : radius;
    for (Index i = 0; i < region.size() && is_latitude; ++i)
      if (values[i] != kMissing) values[i] /= length;
  }
};

Metric metric_of(const Rule& rule, const Quantity& field, const Dimension& dimension, Derivative which) {
  Metric metric{is_latitude(dimension), which == Derivative::second, {}, radius_of(rule)};
  if (!is_longitude(dimension)) return metric;
  const int latitude = latitude_of(field);
  if (latitude < 0)
    throw ParameterError("dimension",
                         "\"" + field.name +
                             "\" has longitudes and no dimension of latitudes, which says how long "
                             "a degree is");
  const auto axis = static_cast<std::size_t>(latitude);
  metric.longitudes.emplace(rule, field.dimensions[axis], axis);
  return metric;
}

Prepared prepare_derivative(const Rule& rule, char name, Derivative which) {
  const Quantity& field = rule.inputs.front();
  const int axis = rule.axis("dimension", field, rule.text("dimension"));
  const Dimension& dimension = field.dimensions[static_cast<std::size_t>(axis)];
  check_direction(name, dimension);
  const Differences differences(rule, field, axis, "dimension", which);
  const Metric metric = metric_of(rule, field, dimension, which);
  Prepared prepared;
  prepared.result = {"", Type::float64, field.dimensions};
  const bool has_poles = metric.longitudes && metric.longitudes->has_poles();
  if (field.missing || differences.may_be_missing() || has_poles) prepared.result.missing = kMissing;
  prepared.halos = {std::vector<Halo>(field.dimensions.size())};
  prepared.halos[0][static_cast<std::size_t>(axis)] = differences.halo();
  const auto missing = missing_of(field);
  prepared.compute = [differences, metric, missing](const std::vector<Part>& inputs,
                                                    const ResultPart& result) {
    auto* const values = result.as<double>().data();
    differences.compute(inputs[0], missing, result.region, values);
    metric.apply(result.region, values);
  };
  return prepared;
}

Operator derivative(const std::string& operator_name, char direction, Derivative which) {
  std::vector<Parameter> parameters = {
      {"field", ParameterKind::name, true, "", {}, "the field or result"},
      {"dimension", ParameterKind::text, true, "", {}, "the dimension along which it goes"}};
  for (Parameter& one : derivative_parameters()) parameters.push_back(std::move(one));
  const std::string what = which == Derivative::first ? "The derivative" : "The second derivative";
  const std::string on_sphere = direction == 'x'   ? "; along longitudes per metre to the east"
                                : direction == 'y' ? "; along latitudes per metre to the north"
                                                   : "";
  return {operator_name,
          what + " along a dimension by its coordinates, from three neighbours, in double precision" +
              on_sphere + ".",
          std::move(parameters),
          [direction, which](const Rule& rule) { return prepare_derivative(rule, direction, which); }, true};
}

}  // namespace

Operator ddx() { return derivative("ddx", 'x', Derivative::first); }
Operator ddy() { return derivative("ddy", 'y', Derivative::first); }
Operator ddz() { return derivative("ddz", 'z', Derivative::first); }
Operator d2dx2() { return derivative("d2dx2", 'x', Derivative::second); }
Operator d2dy2() { return derivative("d2dy2", 'y', Derivative::second); }
Operator d2dz2() { return derivative("d2dz2", 'z', Derivative::second); }

}  // namespace pileus::operators
