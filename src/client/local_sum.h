#pragma once
// Exact sums of a model's own array over some of its dimensions, as doubles that a field can carry.

#include <span>

#include "client/strided_copy.h"

namespace pileus {

/// As many parts hold every sum.
inline constexpr Index kMostSumParts = 42;

/// Writes `parts` doubles for each element that is left when the dimensions that are not kept are summed up,
/// fastest first; they lie together, and their exact sum is that of the elements. The largest comes first,
/// zeros fill up. NaN and infinities: as IEEE has them for a sum; a sum beyond the largest double is
/// infinite. `is_kept`: one for each dimension. `out`: parts × the number of elements that are left.
/// Errors: UsageError for texts, or if a sum needs more parts; it says how many.
/// REQUIRES: FloatingPointEnvironment.
void local_sum(const StridedArray& array, std::span<const bool> is_kept, Index parts, std::span<double> out);

}  // namespace pileus
