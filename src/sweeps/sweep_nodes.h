#pragma once
// What the reductions of one sweep reduce, as one graph in which everything is computed once: fields,
// constants, and what equations make of them in their own order of rounding.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "core/ids.h"
#include "expression/program.h"

namespace pileus {

using NodeIndex = std::uint32_t;

struct SweepNode {
  Operation operation = Operation::input;
  double constant = 0;            ///< of a constant
  ValueId field;                  ///< of an input
  NodeIndex left = 0, right = 0;  ///< operands; a lone operand is both
  friend bool operator==(const SweepNode&, const SweepNode&) = default;
};

class SweepNodes {
 public:
  /// Whether sweeps compute what the program does.
  static bool can_compute(const Program& program);

  NodeIndex field(ValueId value);
  NodeIndex product(NodeIndex left, NodeIndex right) {
    return add({Operation::multiply, 0, {}, left, right});
  }
  /// What was noted for a value.
  std::optional<NodeIndex> node_of(ValueId value) const;
  void note(ValueId value, NodeIndex node) { node_of_value_.emplace(value, node); }
  /// The node of the program's value. REQUIRES: can_compute(program).
  NodeIndex result(const Program& program, std::span<const NodeIndex> inputs);

  std::size_t size() const { return nodes_.size(); }
  const SweepNode& operator[](NodeIndex node) const { return nodes_[node]; }
  /// The node and all that it is made of, operands first.
  std::vector<NodeIndex> behind(NodeIndex node) const;

 private:
  using Key = std::tuple<Operation, std::uint64_t, std::uint32_t, NodeIndex, NodeIndex>;
  NodeIndex add(SweepNode node);

  std::vector<SweepNode> nodes_;  ///< operands before what is made of them
  std::map<Key, NodeIndex> known_;
  std::map<ValueId, NodeIndex> node_of_value_;
};

}  // namespace pileus
