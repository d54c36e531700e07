#pragma once
// arithmetic: an equation element by element, in double precision, dimensions matched by name.

#include <vector>

#include "analytics/block_evaluator.h"

namespace pileus {

/// Shape: `extents`, fastest first. NaN and Inf: as IEEE 754 has it for each operation.
Array evaluate(const Program& program, const std::vector<AlignedInput>& inputs,
               const std::vector<Index>& extents);

}  // namespace pileus
