#include "sweeps/sweep_cell.h"

#include <algorithm>

#include "loops/element_loops.h"

namespace pileus {
namespace {

detail::ElementOperation element_operation_of(Operation operation) {
  switch (operation) {
    case Operation::negate: return detail::ElementOperation::negate;
    case Operation::add: return detail::ElementOperation::add;
    case Operation::subtract: return detail::ElementOperation::subtract;
    default: return detail::ElementOperation::multiply;
  }
}

}  // namespace

void compute_node(Operation operation, const double* a, const double* b, double* out, std::size_t count) {
  const detail::ElementStep step{
      element_operation_of(operation), detail::ElementFollow::nothing, a, b, a, a, out};
  detail::element_loops().run(&step, 1, count);
}

SweepCell::SweepCell(const SweepNodes& nodes, const SweepProgram& program, const SweepFields& fields,
                     const SweepShape& shape, NodeIndex node)
    : nodes_(nodes),
      program_(program),
      fields_(fields),
      shape_(shape),
      behind_(nodes.behind(node)),
      most_(as_size(std::min(SweepShape::kTileElements, shape.length))),
      numbers_(behind_.size() * most_) {}

void SweepCell::pass(Index cell, const std::function<void()>& visit) {
  const auto most = static_cast<Index>(most_);
  for (Index done = 0; done < shape_.length; done += most) {
    count_ = as_size(std::min(most, shape_.length - done));
    for (const NodeIndex node : behind_) compute(node, shape_.first_of(cell) + done * shape_.stride());
    visit();
  }
}

std::span<const double> SweepCell::numbers(NodeIndex node) const {
  return std::span(numbers_).subspan(number_of(node) * most_, count_);
}

double* SweepCell::place_of(NodeIndex node) { return numbers_.data() + number_of(node) * most_; }

std::size_t SweepCell::number_of(NodeIndex node) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(behind_, node) - behind_.begin());
}

void SweepCell::compute(NodeIndex node, Index first_element) {
  const SweepNode& computed = nodes_[node];
  double* const out = place_of(node);
  if (computed.operation == Operation::input) {
    const auto field = std::ranges::find(program_.field_nodes, node) - program_.field_nodes.begin();
    fields_.copy(static_cast<std::size_t>(field), first_element, shape_.stride(), {out, count_});
  } else if (computed.operation == Operation::constant) {
    std::fill_n(out, count_, computed.constant);
  } else {
    compute_node(computed.operation, place_of(computed.left), place_of(computed.right), out, count_);
  }
}

}  // namespace pileus
