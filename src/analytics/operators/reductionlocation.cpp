// reductionlocation: where a field has a reduced value of it. Each model rank finds the lowest index in its
// part; the lowest of all ranks is the result, so that ties do not depend on the layout (architecture D2).

#include <cmath>

#include "analytics/operators/list.h"
#include "analytics/operators/place.h"
#include "core/missing.h"

namespace pileus {
namespace operators {
Declaration reductionlocation();
}
namespace {

using operators::Dimension;
using operators::ParameterError;
using operators::ParameterKind;
using operators::Part;
using operators::Prepared;
using operators::Quantity;
using operators::ResultPart;

/// A NaN is found where a NaN is, and -0 is not +0.
bool is_same(double a, double b) {
  return (a == b && std::signbit(a) == std::signbit(b)) || (std::isnan(a) && std::isnan(b));
}

void pick_places_of_value(const PickedFrom& elements, std::span<double> picked) {
  for (std::size_t i = 0; i < picked.size(); ++i)
    picked[i] = is_same(elements.numbers[i], elements.compared[i]) ? elements.places[i] : kMissing;
}

/// All rules with one field and value share the linear index, whatever each makes of it.
Sifting sift_location(const operators::Rule&) {
  return {{std::make_shared<const Pick>(Pick{"reductionlocation", Reduction::min, pick_places_of_value})}};
}

Prepared prepare(const operators::Rule& rule) {
  const Quantity& field = rule.inputs[0];
  const Quantity& value = rule.inputs[1];
  const auto wanted = static_cast<std::size_t>(rule.axis("dimension", field, rule.text("dimension")));
  const Dimension& dimension = field.dimensions[wanted];
  const auto is_reduced = [&](const Dimension& one) { return value.axis(one.name) < 0; };
  if (!is_reduced(dimension)) {
    throw ParameterError("dimension",
                         "\"" + value.name + "\" is not reduced over \"" + dimension.name + "\"");
  }
  Prepared prepared;
  prepared.result.missing = kMissing;
  for (const Dimension& one : field.dimensions) {
    if (!is_reduced(one)) prepared.result.dimensions.push_back(one);
  }
  prepared.compute = [unfolding = unfolding_of(field, wanted, is_reduced),
                      coordinates = wanted_coordinates(rule, dimension)](const std::vector<Part>& inputs,
                                                                         const ResultPart& result) {
    const auto linear = inputs[0].as<double>();
    const auto found = result.as<double>();
    for (std::size_t i = 0; i < found.size(); ++i)
      found[i] = linear[i] == kMissing ? kMissing : operators::as_wanted(unfolding(linear[i]), coordinates);
  };
  return prepared;
}

}  // namespace

Declaration operators::reductionlocation() {
  return {{"reductionlocation",
           "Finds where a field has its reduced value: of several places that of the lowest index, the "
           "fastest dimension first.",
           {{"field", ParameterKind::name, true, "", {}, "the distributed field"},
            {"value", ParameterKind::name, true, "", {}, "what a reduction or allreduction has made of it"},
            {"dimension",
             ParameterKind::text,
             true,
             "",
             {},
             "the place in this dimension, one that was reduced over"},
            as_index_or_coordinate()},
           prepare,
           true},
          sift_location};
}

}  // namespace pileus
