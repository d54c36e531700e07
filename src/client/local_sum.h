#pragma once
// Exact sums of a model's own array over some of its dimensions, in doubles that a field can carry.

#include <span>

#include "client/strided_copy.h"

namespace pileus {

/// The number of parts that is enough for every sum.
inline constexpr Index kMostSumParts = 42;

/// Writes `parts` doubles for each element that is left when the dimensions that are not kept are summed up,
/// fastest first. The parts of an element lie together, the largest first and zeros last, and their exact sum
/// is the sum of the element's values. `is_kept`: one entry for each dimension. `out`: parts × the number of
/// elements that are left.
/// NaN and infinities: as IEEE 754 has them for a sum; a sum beyond the largest double is infinite.
/// Errors: UsageError for texts, or if a sum needs more parts; the text says how many.
/// REQUIRES: FloatingPointEnvironment.
void local_sum(const StridedArray& array, std::span<const bool> is_kept, Index parts, std::span<double> out);

}  // namespace pileus
