// An operator on two inputs, which relies on getting the same part of both.

#include <pileus/operator.hpp>

using namespace pileus::operators;

namespace {

/// field - with, whose dimensions are some of the field's.
void subtract(const std::vector<int>& axes, const Part& field, const Part& with, const ResultPart& result) {
  const std::vector<Index>& count = field.region.count;
  std::vector<Index> at(count.size(), 0);
  const std::span<double> differences = result.as<double>();
  for (Index i = 0; i < static_cast<Index>(differences.size()); ++i) {
    Index j = 0, stride = 1;
    for (std::size_t d = 0; d < axes.size(); ++d) {
      const auto axis = static_cast<std::size_t>(axes[d]);
      if (with.region.start[d] != field.region.start[axis] || with.region.count[d] != count[axis])
        throw std::runtime_error("it is another part");
      j += at[axis] * stride;
      stride *= count[axis];
    }
    differences[static_cast<std::size_t>(i)] = field.number(i) - with.number(j);
    for (std::size_t d = 0; d < at.size() && ++at[d] == count[d]; ++d) at[d] = 0;
  }
}

Prepared prepare(const Rule& rule) {
  Prepared prepared;
  prepared.result = rule.input("field");
  // The type shows whether the layout would change it.
  const Quantity& with = rule.input("with");
  if (with.type != prepared.result.type) throw ParameterError("with", "it has another type");
  std::vector<int> axes;
  for (const Dimension& one : with.dimensions) axes.push_back(rule.axis("field", prepared.result, one.name));
  prepared.result.type = Type::float64;
  prepared.compute = [axes](const std::vector<Part>& inputs, const ResultPart& result) {
    subtract(axes, inputs[0], inputs[1], result);
  };
  return prepared;
}

}  // namespace

PILEUS_OPERATOR_LIBRARY(Operator{"difference",
                                 "Subtracts a value from a field.",
                                 {{"field", ParameterKind::name, true, "", {}, "from which"},
                                  {"with", ParameterKind::name, true, "", {}, "what"}},
                                 prepare})
