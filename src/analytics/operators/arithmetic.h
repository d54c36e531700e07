#pragma once
// arithmetic: an equation element by element, in double precision, dimensions matched by name.

#include <vector>

#include "blocks/block_evaluator.h"

namespace pileus {

/// Shape: `extents`, fastest first. NaN and Inf: as IEEE 754 has it for each operation.
Array evaluate(const Program& program, const std::vector<AlignedInput>& inputs, const Extents& extents);
/// The same by an evaluator that makes one NaN, of what its inputs are now.
Array evaluate(BlockEvaluator& evaluator, const Extents& extents);

}  // namespace pileus
