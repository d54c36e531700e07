// clip: the field with what is below or above limits brought to them. A NaN stays one.

#include <algorithm>

#include "pileus/operator.hpp"

namespace pileus::operators {
namespace {

Prepared prepare_clip(const Rule& rule) {
  const double lower = rule.number("lower"), upper = rule.number("upper");
  if (lower > upper)
    throw ParameterError("upper", rule.text("upper") + " is less than lower, " + rule.text("lower"));
  Prepared prepared;
  prepared.result = {"", Type::float64, rule.input("field").dimensions};
  prepared.compute = [lower, upper](const std::vector<Part>& inputs, const ResultPart& result) {
    const auto clipped = result.as<double>();
    for (std::size_t i = 0; i < clipped.size(); ++i)
      clipped[i] = std::clamp(inputs[0].number(static_cast<Index>(i)), lower, upper);
  };
  return prepared;
}

}  // namespace

Operator clip() {
  return {"clip",
          "Brings what is below or above limits to them.",
          {{"field", ParameterKind::name, true, "", {}, "the field or result that is clipped"},
           {"lower", ParameterKind::number, true, "", {}, "nothing is less", "that of the field"},
           {"upper", ParameterKind::number, true, "", {}, "nothing is more", "that of the field"}},
          prepare_clip};
}

}  // namespace pileus::operators
