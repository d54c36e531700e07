#pragma once
// reductionlocation: where a field has a reduced value of it. Each model rank finds the lowest index in its
// part; the lowest of all ranks is the result, so that ties do not depend on the layout (architecture D2).

#include <optional>
#include <vector>

#include "analytics/operators/arithmetic.h"
#include "core/array.h"
#include "math/sample.h"

namespace pileus {

/// Partials of the minimum, over the whole domain of the dimensions that are not among `axes`: the lowest
/// linear index over `axes` (ascending positions, fastest first) at which the part has the value; none where
/// it has it nowhere. `held`: the part's region; `extents`: those of the whole field; `value`: as an input
/// of the part's shape. A NaN is found where a NaN is, and -0 is not +0.
PartialArray locate(const Array& part, const Region& held, const Extents& extents,
                    const std::vector<int>& axes, const AlignedInput& value, std::optional<double> missing);

}  // namespace pileus
