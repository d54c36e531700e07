#include "sweeps/sweep_nodes.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace pileus {
namespace {

bool is_of_sweeps(Operation operation) {
  switch (operation) {
    case Operation::constant:
    case Operation::input:
    case Operation::negate:
    case Operation::add:
    case Operation::subtract:
    case Operation::multiply: return true;
    default: return false;
  }
}

}  // namespace

bool SweepNodes::can_compute(const Program& program) {
  constexpr std::size_t kMost = 64;  // more have little in common with others
  return program.instructions.size() <= kMost && !program.instructions.empty() &&
         std::ranges::all_of(program.instructions,
                             [](const Instruction& one) { return is_of_sweeps(one.operation); });
}

NodeIndex SweepNodes::field(ValueId value) { return add({Operation::input, 0, value, 0, 0}); }

std::optional<NodeIndex> SweepNodes::node_of(ValueId value) const {
  const auto found = node_of_value_.find(value);
  return found != node_of_value_.end() ? std::optional(found->second) : std::nullopt;
}

NodeIndex SweepNodes::result(const Program& program, std::span<const NodeIndex> inputs) {
  std::vector<NodeIndex> made;
  for (const Instruction& one : program.instructions) {
    if (one.operation == Operation::input) {
      made.push_back(inputs[one.left]);
    } else if (one.operation == Operation::constant) {
      made.push_back(add({Operation::constant, one.constant, {}, 0, 0}));
    } else {
      const bool is_of_two = operand_count(one.operation) > 1;
      made.push_back(add({one.operation, 0, {}, made[one.left], made[is_of_two ? one.right : one.left]}));
    }
  }
  return made.back();
}

NodeIndex SweepNodes::add(SweepNode node) {
  // Neither a sum nor a product of two numbers depends on their order.
  if (node.operation == Operation::multiply || node.operation == Operation::add) {
    if (node.left > node.right) std::swap(node.left, node.right);
  }
  const Key key{node.operation, std::bit_cast<std::uint64_t>(node.constant), node.field.index, node.left,
                node.right};
  const auto [found, is_new] = known_.emplace(key, static_cast<NodeIndex>(nodes_.size()));
  if (is_new) nodes_.push_back(node);
  return found->second;
}

std::vector<NodeIndex> SweepNodes::behind(NodeIndex node) const {
  std::vector<bool> is_behind(node + std::size_t{1}, false);
  is_behind[node] = true;
  for (NodeIndex n = node + 1; n-- > 0;) {
    if (!is_behind[n] || operand_count(nodes_[n].operation) == 0) continue;
    is_behind[nodes_[n].left] = is_behind[nodes_[n].right] = true;
  }
  std::vector<NodeIndex> behind;
  for (NodeIndex n = 0; n <= node; ++n) {
    if (is_behind[n]) behind.push_back(n);
  }
  return behind;
}

}  // namespace pileus
