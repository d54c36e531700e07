#pragma once
// arithmetic: an equation element by element, in double precision, dimensions matched by name.

#include <optional>
#include <vector>

#include "core/array.h"
#include "plan/program.h"

namespace pileus {

/// An input of an equation, laid against the result: how far neighbours of the RESULT's dimensions lie apart
/// in it.
struct AlignedInput {
  Array array;
  Index offset = 0;                    ///< elements: where the result's first element finds its operand
  std::vector<Index> strides;          ///< elements, one for each dimension of the result; 0: broadcast
  std::optional<double> missing = {};  ///< elements equal to it make the result kMissing
};

/// Shape: `extents`, fastest first. NaN and Inf: as IEEE 754 has it for each operation.
Array evaluate(const Program& program, const std::vector<AlignedInput>& inputs,
               const std::vector<Index>& extents);

}  // namespace pileus
