#pragma once
// localreduce: Partials of a field over some of its dimensions, as far as one model rank holds it.

#include <optional>
#include <vector>

#include "blocks/block_evaluator.h"
#include "core/array.h"
#include "math/partial.h"
#include "math/sample.h"

namespace pileus {

/// Where the Partials of a part lie in the Partials of the whole domain.
struct ReducedShape {
  Extents extents;  ///< of the result over the whole domain, fastest first
  Extents start;    ///< of the part, in the result's dimensions
};

/// `reduced_axes`: positions in the array's dimensions, ascending. Results that this part says nothing of are
/// empty Partials. NaN: makes its Partial NaN. Elements equal to `missing` are left out.
PartialArray local_reduce(const Array& array, Reduction reduction, const std::vector<int>& reduced_axes,
                          const ReducedShape& shape, std::optional<double> missing = {});

/// The same of what an equation makes of its inputs, without an array of it. `extents`: of the part.
PartialArray local_reduce(const Program& program, const std::vector<AlignedInput>& inputs,
                          const Extents& extents, Reduction reduction, const std::vector<int>& reduced_axes,
                          const ReducedShape& shape, std::optional<double> missing = {});

/// Each number of the array as the Partial of one value, or of none where it is missing.
PartialArray lifted(const Array& array, Reduction reduction, std::optional<double> missing = {});

}  // namespace pileus
