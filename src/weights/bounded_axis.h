#pragma once

#include <string>
#include <string_view>

#include "weights/target_grid.h"

namespace pileus {

/// The cells of `name` between two bounds, of "FROM:TO:STEP" in degrees. Nothing adds up: each centre is
/// computed by itself and rounded once. Errors: UsageError that says what is wrong.
TargetDimension bounded_axis(const std::string& name, std::string_view from_to_step);

}  // namespace pileus
