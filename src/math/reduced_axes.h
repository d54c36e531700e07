#pragma once
// The dimensions of an array over some of which a reduction goes: what localreduce and pileus_local_sum pass
// over, in as few loops as possible.

#include <span>
#include <vector>

#include "core/region.h"

namespace pileus {

/// A dimension, or several that lie in the array as one and are reduced, or kept, together.
struct ReducedAxis {
  Index extent;
  Index stride;         ///< elements of the array between neighbours
  Index result_stride;  ///< and of the result; 0 where it is reduced
  bool is_reduced() const { return result_stride == 0; }
  friend bool operator==(const ReducedAxis&, const ReducedAxis&) = default;
};

/// The fewest axes that say the same, in the same order; those of one element say nothing.
std::vector<ReducedAxis> merged(std::span<const ReducedAxis> axes);

}  // namespace pileus
