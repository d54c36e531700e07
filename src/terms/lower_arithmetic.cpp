// Equations and filters, and what of them is done to Partials before these are rounded.

#include <algorithm>
#include <cmath>
#include <utility>

#include "terms/lowering.h"

namespace pileus::planning {

std::optional<TermIndex> Lowering::lower_arithmetic(const Node& node) {
  if (!check_pairs(node)) return {};
  const std::vector<TermIndex> inputs = values_of_inputs(node);
  const TermIndex result = as_terms(node, inputs);
  if (node.is_filter && terms_.leaves(terms_[result].operands.back()).empty())
    return wrong(node, node.where, "the condition is a constant");
  const std::vector<TermIndex> leaves = terms_.leaves(result);
  if (leaves.empty()) {
    return wrong(node, node.where,
                 node.is_of_expression ? quoted(node.name) + " is a constant" : "the equation is a constant");
  }
  if (leaves.size() > TermTable::kMostLeaves) {
    return wrong(node, node.where,
                 quoted(node.name) + " is made of more than " + std::to_string(TermTable::kMostLeaves) +
                     " fields and reductions, with those of what it uses");
  }
  if (!check_cadences(node) || !check_shapes(node, leaves)) return {};
  if (const auto scaled = as_scale(result)) return scaled;
  warn_of_partials(node, "this equation rounds it before it is reduced");
  return result;
}

TermIndex Lowering::as_terms(const Node& node, const std::vector<TermIndex>& inputs) {
  std::vector<TermIndex> made;
  for (const Instruction& one : node.expression.program.instructions) {
    switch (one.operation) {
      case Operation::constant: made.push_back(terms_.constant(one.constant)); break;
      case Operation::input: made.push_back(inputs[one.left]); break;
      case Operation::select:
        made.push_back(terms_.select(made[one.condition], made[one.left], made[one.right]));
        break;
      default: made.push_back(terms_.operation(one.operation, made[one.left], made[one.right]));
    }
  }
  return node.is_filter ? terms_.operation(Operation::keep, inputs.back(), made.back()) : made.back();
}

std::optional<TermIndex> Lowering::as_scale(TermIndex result) {
  std::vector<double> multiply, divide;
  TermIndex at = result;
  while (terms_[at].kind == TermKind::operation) {
    const Term& term = terms_[at];
    const std::size_t last = term.operands.size() - 1;
    const auto left = terms_.constant_value(term.operands[0]),
               right = terms_.constant_value(term.operands[last]);
    if (term.operation == Operation::negate) {
      multiply.push_back(-1);
      at = term.operands[0];
    } else if (term.operation == Operation::multiply && (left || right)) {
      multiply.push_back(left ? *left : *right);
      at = term.operands[left ? 1 : 0];
    } else if (term.operation == Operation::divide && right) {
      divide.push_back(*right);
      at = term.operands[0];
    } else {
      return {};
    }
  }
  const Term& partial = terms_[at];
  if (partial.form != Form::partials) return {};
  if (multiply.empty() && is_mean(partial, divide)) {
    if (partial.is_in_place) {
      const TermIndex input = partial.operands.front();
      return terms_.reduce_in_place(Reduction::mean, input, std::vector<int>(partial.axes));
    }
    const Term& local = terms_[partial.operands.front()];
    const std::vector<DimensionId> dimensions = partial.dimensions;
    const TermIndex mean = terms_.localreduce(Reduction::mean, local.operands.front(), local.axes, true);
    return terms_.communicate(Reduction::mean, mean, dimensions);
  }
  bool is_negative = false;
  for (double factor : multiply) is_negative = is_negative != std::signbit(factor);
  for (double factor : divide) is_negative = is_negative != std::signbit(factor);
  // The smallest of the negative local minima is not the negative smallest local minimum.
  const bool is_extremum = keeps_of(partial.reduction) == Keeps::extreme;
  // Nor is a scaled truth one.
  const bool is_truth = keeps_of(partial.reduction) == Keeps::truth;
  if (((is_negative && is_extremum) || is_truth) && partial.spread == Spread::own) return {};
  return terms_.scale(at, std::move(multiply), std::move(divide));
}

bool Lowering::is_mean(const Term& partial, const std::vector<double>& divide) const {
  const bool is_in_place = partial.kind == TermKind::localreduce && partial.is_in_place;
  if (!(partial.kind == TermKind::communicate || is_in_place) || partial.reduction != Reduction::sum ||
      shapes_.is_imagined)
    return false;
  const Term& local = is_in_place ? partial : terms_[partial.operands.front()];
  if (local.kind != TermKind::localreduce || local.reduction != Reduction::sum || local.missing || local.bins)
    return false;
  const Term& input = terms_[local.operands.front()];
  // What is reduced on one server here may lie on the ranks in another layout.
  const bool is_of_elements = input.spread == Spread::distributed || input.spread == Spread::rooted;
  double count = is_of_elements && !shapes_.has_holes ? 1 : 0;
  for (int axis : local.axes) {
    const DimensionId id = input.dimensions[static_cast<std::size_t>(axis)];
    count *= static_cast<double>(shapes_.dimensions[id.index].size);
  }
  // Its dimensions have names only where each rank holds all of them: on one rank, say.
  const bool is_whole = local.axes.size() == input.dimensions.size();
  if (input.spread == Spread::own && input.kind == TermKind::field && is_whole) {
    count = 0;
    for (std::size_t rank = 0; rank < shapes_.regions.size(); ++rank)
      count += static_cast<double>(shapes_.regions[rank][input.field].size());
  }
  double product = 1;
  for (double factor : divide) product *= factor;
  return count > 0 && count < 0x1p53 && product == count;
}

}  // namespace pileus::planning
