#include "sweeps/sweep_program.h"

#include <algorithm>

namespace pileus {
namespace {

bool is_computed(const SweepNode& node) { return operand_count(node.operation) > 0; }

/// Makes the program of one set of demands.
class SweepCompiler {
 public:
  SweepCompiler(const SweepNodes& nodes, const std::vector<SweepDemand>& demands)
      : nodes_(nodes),
        is_needed_(nodes.size(), false),
        is_summed_(nodes.size(), false),
        has_extremes_(nodes.size(), false),
        has_moments_(nodes.size(), false),
        uses_left_(nodes.size(), 0),
        operands_left_(nodes.size(), 0),
        takers_(nodes.size()),
        places_(nodes.size()) {
    for (const SweepDemand& demand : demands) {
      is_summed_[demand.node] = is_summed_[demand.node] || demand.is_summed;
      has_extremes_[demand.node] = has_extremes_[demand.node] || demand.has_extremes;
      has_moments_[demand.node] = has_moments_[demand.node] || demand.has_moments;
      for (const NodeIndex node : nodes.behind(demand.node)) is_needed_[node] = true;
    }
  }

  SweepProgram make() {
    for (NodeIndex node = 0; node < nodes_.size(); ++node) {
      if (is_needed_[node]) note(node);
    }
    for (const NodeIndex node : program_.nodes) {
      if (!is_computed(nodes_[node])) give(node);
    }
    return std::move(program_);
  }

 private:
  void note(NodeIndex node) {
    program_.nodes.push_back(node);
    if (nodes_[node].operation == Operation::input) {
      places_[node] = {true, static_cast<std::uint32_t>(program_.fields.size())};
      program_.fields.push_back(nodes_[node].field);
      program_.field_nodes.push_back(node);
      program_.have_extremes.push_back(has_extremes_[node]);
      program_.ranges.insert(
          program_.ranges.begin() + static_cast<std::ptrdiff_t>(program_.fields.size()) - 1, node);
    } else if (nodes_[node].operation == Operation::constant) {
      places_[node] = {false, program_.registers++};
      program_.constants.emplace_back(places_[node].index, nodes_[node].constant);
    } else {
      take(nodes_[node].left, node);
      if (nodes_[node].right != nodes_[node].left) take(nodes_[node].right, node);
    }
  }

  void take(NodeIndex operand, NodeIndex node) {
    takers_[operand].push_back(node);
    ++uses_left_[operand];
    ++operands_left_[node];
  }

  /// What is made of a node follows at once, as far as all else that it is made of is there.
  void give(NodeIndex node) {
    if (is_computed(nodes_[node]) || is_summed_[node]) do_step(node);
    for (const NodeIndex taker : takers_[node]) {
      if (--operands_left_[taker] == 0) give(taker);
    }
  }

  void do_step(NodeIndex node) {
    const SweepNode& done = nodes_[node];
    SweepStep step{node, places_[node], places_[node]};
    if (is_computed(done)) {
      step.left = places_[done.left];
      step.right = places_[done.right];
      const bool is_product_alone =
          done.operation == Operation::multiply && takers_[node].empty() && !has_extremes_[node];
      if (!is_product_alone) step.register_of_result = free_register();
      if (step.register_of_result) places_[node] = {false, *step.register_of_result};
      release(done.left);
      if (done.right != done.left) release(done.right);
      if (has_extremes_[node]) step.range = static_cast<std::uint32_t>(program_.ranges.size());
      if (has_extremes_[node]) program_.ranges.push_back(node);
      if (takers_[node].empty() && step.register_of_result) free_.push_back(*step.register_of_result);
    }
    if (has_moments_[node]) {
      step.moments = static_cast<std::uint32_t>(program_.moments.size());
      program_.moments.push_back(node);
    }
    if (is_summed_[node]) {
      step.sum = static_cast<std::uint32_t>(program_.sums.size());
      program_.sums.push_back(node);
    }
    program_.steps.push_back(step);
  }

  std::uint32_t free_register() {
    if (free_.empty()) return program_.registers++;
    const std::uint32_t last = free_.back();
    free_.pop_back();
    return last;
  }

  void release(NodeIndex operand) {
    if (--uses_left_[operand] == 0 && is_computed(nodes_[operand])) free_.push_back(places_[operand].index);
  }

  const SweepNodes& nodes_;
  std::vector<bool> is_needed_, is_summed_, has_extremes_, has_moments_;
  std::vector<std::uint32_t> uses_left_, operands_left_;  ///< by node
  std::vector<std::vector<NodeIndex>> takers_;
  std::vector<SweepPlace> places_;
  std::vector<std::uint32_t> free_;
  SweepProgram program_;
};

}  // namespace

SweepProgram make_sweep_program(const SweepNodes& nodes, const std::vector<SweepDemand>& demands) {
  return SweepCompiler(nodes, demands).make();
}

}  // namespace pileus
