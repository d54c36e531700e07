#pragma once
// Of a value that all ranks have whole, the part that lies where another value does: for operators, which
// take their inputs part by part.

#include <memory>
#include <optional>
#include <vector>

#include "terms/terms.h"

namespace pileus::planning {

/// Its inputs are the whole, in double precision with kMissing, and the other value. `result`: what it is the
/// part of. `axes`: where the dimensions of the result are among those of the other value.
/// REQUIRES: not int64, of which double precision does not have all.
std::shared_ptr<const operators::Prepared> part_of_whole(operators::Quantity result, std::vector<int> axes);

}  // namespace pileus::planning
