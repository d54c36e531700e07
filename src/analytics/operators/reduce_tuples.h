#pragma once
// localreduce of pairs and of values with weights, as far as one model rank holds them.

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "analytics/operators/arithmetic.h"
#include "analytics/operators/localreduce.h"

namespace pileus {

/// What is made of tuples, and the edges of the bins into which they go, as LocalReduce has them.
struct TupleAction {
  // NOLINTNEXTLINE(google-explicit-constructor): a reduction alone is one
  TupleAction(Reduction reduction, std::shared_ptr<const std::vector<double>> edges = nullptr)
      : reduction(reduction), edges(std::move(edges)) {}
  Reduction reduction;
  std::shared_ptr<const std::vector<double>> edges;
};

/// As local_reduce, of a reduction with several operands. `others` are laid against the array: of pairs what
/// it is taken with, then the weights, then what bins are by. Tuples count where all are there, no weight is
/// zero and a bin takes them: those of which an element equals `missing`, or that of another operand its own,
/// are left out. Bins are the last dimension of the shape.
PartialArray reduce_tuples(const Array& array, std::span<const AlignedInput> others,
                           const TupleAction& action, const std::vector<int>& reduced_axes,
                           const ReducedShape& shape, std::optional<double> missing = {});

}  // namespace pileus
