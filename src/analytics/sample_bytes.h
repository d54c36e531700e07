#pragma once
// How many bytes a value takes in a message between servers. It knows what encode_sample and the matrix of a
// tree (tree_values.h) write, so that nobody else has to.

#include "math/partial_sizes.h"
#include "plan/plan.h"

namespace pileus {

/// A contribution to a communication, or what a broadcast sends: numbers or Partials. `most` holds for values
/// within the range.
ByteBounds sample_bytes(const Plan& plan, const Rule& sends, const SummedRange& range);

}  // namespace pileus
