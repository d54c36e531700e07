// column_integral: the integral of a field over one of its dimensions, by the trapezoidal rule on the
// dimension's coordinates. It is a user's own operator: one file, which links with nothing of Pileus.

#include <pileus/operator.hpp>

using namespace pileus::operators;

namespace {

/// The weight of each point in the trapezoidal rule: half the distance between its neighbours.
std::vector<double> widths(const std::vector<double>& heights) {
  std::vector<double> widths(heights.size(), 0.0);
  for (std::size_t i = 1; i < heights.size(); ++i) {
    widths[i - 1] += (heights[i] - heights[i - 1]) / 2;
    widths[i] += (heights[i] - heights[i - 1]) / 2;
  }
  return widths;
}

/// Called before the run. It says what the result is and how each part of the field is computed.
Prepared prepare(const Rule& rule) {
  const Quantity& field = rule.input("field");
  const auto axis = static_cast<std::size_t>(rule.axis("dimension", field, rule.text("dimension")));
  const Dimension& dimension = field.dimensions[axis];
  if (dimension.size != kUnknownSize && dimension.coordinates.empty()) {
    throw ParameterError("dimension", "the model gives no coordinates to \"" + dimension.name + "\"");
  }

  Prepared prepared;
  prepared.result = {"", Type::float64, field.dimensions};
  prepared.result.dimensions.erase(prepared.result.dimensions.begin() + static_cast<std::ptrdiff_t>(axis));
  // Called in every step for each model rank's part of the field. The sum runs in the order of the dimension.
  prepared.compute = [axis, weights = widths(dimension.coordinates)](const std::vector<Part>& inputs,
                                                                     const ResultPart& result) {
    const Part& part = inputs[0];
    Index inner = 1;  // distance of neighbours along the dimension
    for (std::size_t d = 0; d < axis; ++d) inner *= part.region.count[d];
    const Index levels = part.region.count[axis];
    const std::span<double> integrals = result.as<double>();
    for (Index i = 0; i < static_cast<Index>(integrals.size()); ++i) {
      const Index first = i / inner * inner * levels + i % inner;
      double sum = 0;
      for (Index level = 0; level < levels; ++level) {
        const Index global = part.region.start[axis] + level;
        sum += weights[static_cast<std::size_t>(global)] * part.number(first + level * inner);
      }
      integrals[static_cast<std::size_t>(i)] = sum;
    }
  };
  return prepared;
}

/// The name, the help and the parameters of the operator for configurations.
Operator column_integral() {
  return {"column_integral",
          "Integrates a field over one dimension, by the trapezoidal rule on its coordinates.",
          {{"field", ParameterKind::name, true, "", {}, "the field or result that is integrated"},
           {"dimension", ParameterKind::text, false, "z", {}, "the dimension, which has coordinates"}},
          prepare};
}

}  // namespace

PILEUS_OPERATOR_LIBRARY(column_integral())
