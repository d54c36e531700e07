#pragma once
// localreduce of pairs and of values with weights, as far as one model rank holds them.

#include <span>

#include "analytics/operators/arithmetic.h"
#include "analytics/operators/localreduce.h"

namespace pileus {

/// As local_reduce, of a reduction with several operands. `others` are laid against the array: of pairs what
/// it is taken with, then the weights. Tuples count where all are there, and no weight is zero: those of
/// which an element equals `missing`, or that of another operand its own, are left out.
PartialArray reduce_tuples(const Array& array, std::span<const AlignedInput> others, Reduction reduction,
                           const std::vector<int>& reduced_axes, const ReducedShape& shape,
                           std::optional<double> missing = {});

}  // namespace pileus
