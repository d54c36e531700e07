// throws: passes its field on; where PILEUS_THROWS in the environment says what ("text", "memory", "number"),
// it throws that from the fifth step of the scenarios' plane on. For tests of what servers catch.

#include <cstdlib>
#include <new>
#include <pileus/operator.hpp>
#include <stdexcept>

using namespace pileus::operators;

namespace {

constexpr double kFifthStep = 5000;  // plane_value of tests/scenarios/scenario.h

void throw_as(const std::string& what) {
  if (what == "memory") throw std::bad_alloc();
  if (what == "number") throw 7;
  if (what == "text") throw std::runtime_error("it rains");
}

Prepared prepare(const Rule& rule) {
  const Quantity& field = rule.input("field");
  const char* const what = std::getenv("PILEUS_THROWS");
  Prepared prepared;
  prepared.result = {"", Type::float64, field.dimensions};
  prepared.compute = [what = std::string(what != nullptr ? what : "")](const std::vector<Part>& inputs,
                                                                       const ResultPart& result) {
    const std::span<double> doubles = result.as<double>();
    for (std::size_t i = 0; i < doubles.size(); ++i) {
      doubles[i] = inputs[0].number(static_cast<Index>(i));
      if (doubles[i] >= kFifthStep) throw_as(what);
    }
  };
  return prepared;
}

Operator throws() {
  return {"throws",
          "Passes a field on, or throws.",
          {{"field", ParameterKind::name, true, "", {}, "the field"}},
          prepare};
}

}  // namespace

PILEUS_OPERATOR_LIBRARY(throws())
