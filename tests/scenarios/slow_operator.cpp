// slow_double: returns twice its field, after five milliseconds. A test uses it for the report's times of
// analysis.

#include <chrono>
#include <pileus/operator.hpp>

using namespace pileus::operators;

namespace {

Prepared prepare(const Rule& rule) {
  const Quantity& field = rule.input("field");
  Prepared prepared;
  prepared.result = {"", Type::float64, field.dimensions};
  prepared.compute = [](const std::vector<Part>& inputs, const ResultPart& result) {
    const auto began = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - began < std::chrono::milliseconds(5)) {
    }
    const std::span<double> doubles = result.as<double>();
    for (std::size_t i = 0; i < doubles.size(); ++i) doubles[i] = 2 * inputs[0].number(static_cast<Index>(i));
  };
  return prepared;
}

Operator slow_double() {
  return {"slow_double",
          "Doubles a field, slowly.",
          {{"field", ParameterKind::name, true, "", {}, "the field or result that is doubled"}},
          prepare};
}

}  // namespace

PILEUS_OPERATOR_LIBRARY(slow_double())
