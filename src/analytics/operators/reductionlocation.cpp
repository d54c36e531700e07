#include "analytics/operators/reductionlocation.h"

#include <algorithm>
#include <cmath>

#include "analytics/operators/list.h"
#include "core/missing.h"

namespace pileus {
namespace operators {
Declaration reductionlocation();
}
namespace {

using operators::Dimension;
using operators::kUnknownSize;
using operators::ParameterError;
using operators::Part;
using operators::Prepared;
using operators::Quantity;
using operators::ResultPart;

bool is_same(double a, double b) {
  return (a == b && std::signbit(a) == std::signbit(b)) || (std::isnan(a) && std::isnan(b));
}

/// An index in one dimension out of a linear one, as it is or as the coordinate there.
struct Unfolding {
  Index stride = 1, size = 1;
  std::vector<double> coordinates = {};  ///< empty: the index itself

  double operator()(double linear) const {
    const Index index = static_cast<Index>(linear) / stride % size;
    return coordinates.empty() ? static_cast<double>(index) : coordinates[static_cast<std::size_t>(index)];
  }
};

Prepared prepare(const operators::Rule& rule) {
  const Quantity& field = rule.inputs[0];
  const Quantity& value = rule.inputs[1];
  const auto wanted = static_cast<std::size_t>(rule.axis("dimension", field, rule.text("dimension")));
  Prepared prepared;
  prepared.result.missing = kMissing;
  Unfolding unfolding;
  for (std::size_t d = 0; d < field.dimensions.size(); ++d) {
    if (value.axis(field.dimensions[d].name) >= 0) {
      prepared.result.dimensions.push_back(field.dimensions[d]);
    } else if (d < wanted && field.dimensions[d].size != kUnknownSize) {
      unfolding.stride *= field.dimensions[d].size;
    }
  }
  const Dimension& dimension = field.dimensions[wanted];
  if (value.axis(dimension.name) >= 0) {
    throw ParameterError("dimension",
                         "\"" + value.name + "\" is not reduced over \"" + dimension.name + "\"");
  }
  if (dimension.size != kUnknownSize) unfolding.size = dimension.size;
  if (rule.text("as") == "coordinate" && dimension.size != kUnknownSize) {
    if (dimension.coordinates.empty())
      throw ParameterError("as", "the model gives no coordinates to \"" + dimension.name + "\"");
    unfolding.coordinates = dimension.coordinates;
  }
  prepared.compute = [unfolding](const std::vector<Part>& inputs, const ResultPart& result) {
    const auto linear = inputs[0].as<double>();
    const auto found = result.as<double>();
    for (std::size_t i = 0; i < found.size(); ++i) {
      found[i] = linear[i] == kMissing ? kMissing : unfolding(linear[i]);
    }
  };
  return prepared;
}

}  // namespace

Declaration operators::reductionlocation() {
  Declaration declaration{
      "reductionlocation",
      "Finds where a field has its reduced value: of several places that of the lowest index, the fastest "
      "dimension first.",
      {{"field", ParameterKind::name, true, "", {}, "the distributed field"},
       {"value", ParameterKind::name, true, "", {}, "what a reduction or allreduction has made of it"},
       {"dimension",
        ParameterKind::text,
        true,
        "",
        {},
        "the place in this dimension, one that was reduced over"},
       {"as",
        ParameterKind::word,
        false,
        "index",
        {"index", "coordinate"},
        "the global index, from 0, or the coordinate there"}},
      RuleKind::reductionlocation};
  declaration.prepare = prepare;
  declaration.knows_missing = true;
  return declaration;
}

PartialArray locate(const Array& part, const Region& held, const Extents& extents,
                    const std::vector<int>& axes, const AlignedInput& value, std::optional<double> missing) {
  const std::size_t rank = extents.size();
  // Of neighbours in each dimension: how far apart their results are, or their linear indices.
  Extents result_strides(rank), linear_strides(rank), result_extents;
  Index linear_stride = 1, result_stride = 1;
  for (std::size_t d = 0; d < rank; ++d) {
    const bool is_located = std::ranges::count(axes, static_cast<int>(d)) > 0;
    (is_located ? linear_strides : result_strides)[d] = is_located ? linear_stride : result_stride;
    (is_located ? linear_stride : result_stride) *= extents[d];
    if (!is_located) result_extents.push_back(extents[d]);
  }
  std::vector<Partial> found(static_cast<std::size_t>(result_stride), Partial(Reduction::min));
  if (missing) missing = as_stored(*missing, part.type);
  const std::vector<double> numbers = to_doubles(part);
  const auto values = value.array.as<double>();
  Extents position(rank);
  for (double number : numbers) {
    Index target = 0, linear = 0, at = value.offset;
    for (std::size_t d = 0; d < rank; ++d) {
      target += (held.start[d] + position[d]) * result_strides[d];
      linear += (held.start[d] + position[d]) * linear_strides[d];
      at += position[d] * value.strides[d];
    }
    if (number != missing && is_same(number, values[static_cast<std::size_t>(at)])) {
      found[static_cast<std::size_t>(target)].add(static_cast<double>(linear));
    }
    for (std::size_t d = 0; d < rank && ++position[d] == held.count[d]; ++d) position[d] = 0;
  }
  return {result_extents, std::make_shared<Partials>(Reduction::min, found)};
}

}  // namespace pileus
