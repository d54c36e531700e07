#pragma once
// The numbers of one node of a sweep in one cell, piece by piece: for cells whose sums tiles cannot hold.
// Used by Sweep.

#include <functional>
#include <span>
#include <vector>

#include "sweeps/sweep_fields.h"
#include "sweeps/sweep_nodes.h"
#include "sweeps/sweep_program.h"
#include "sweeps/sweep_shape.h"

namespace pileus {

/// Computes nodes element by element, as equations do. REQUIRES: as many elements of a, b and out.
void compute_node(Operation operation, const double* a, const double* b, double* out, std::size_t count);

class SweepCell {
 public:
  /// REQUIRES: all of them outlive it, and the program has the node.
  SweepCell(const SweepNodes& nodes, const SweepProgram& program, const SweepFields& fields,
            const SweepShape& shape, NodeIndex node);

  /// Calls visit() for each piece, while numbers() gives those of the piece.
  void pass(Index cell, const std::function<void()>& visit);
  /// REQUIRES: the node, or one that it is made of.
  std::span<const double> numbers(NodeIndex node) const;

 private:
  double* place_of(NodeIndex node);
  std::size_t number_of(NodeIndex node) const;
  void compute(NodeIndex node, Index first_element);

  const SweepNodes& nodes_;
  const SweepProgram& program_;
  const SweepFields& fields_;
  const SweepShape& shape_;
  std::vector<NodeIndex> behind_;
  std::size_t most_;  ///< elements of a piece
  std::size_t count_ = 0;
  std::vector<double> numbers_;  ///< by node of behind_
};

}  // namespace pileus
