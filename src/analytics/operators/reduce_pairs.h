#pragma once
// localreduce of pairs: covariances of a field with another, as far as one model rank holds them.

#include "analytics/operators/arithmetic.h"
#include "analytics/operators/localreduce.h"

namespace pileus {

/// As local_reduce. `other` is laid against the array. Pairs count where both are there: those of which the
/// array's element equals `missing`, or the other's its own, are left out.
PartialArray reduce_pairs(const Array& array, const AlignedInput& other, const std::vector<int>& reduced_axes,
                          const ReducedShape& shape, std::optional<double> missing = {});

}  // namespace pileus
