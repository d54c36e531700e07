#pragma once

#include <vector>

#include "formats/format.h"
#include "plan/plan.h"

namespace pileus {

std::vector<FileAttribute> converted(const std::vector<Attribute>& attributes);

/// The variable with places of cells, yet without its dimensions.
FileStatic static_of_places(const PlannedPlaces& planned, const Plan& plan);

}  // namespace pileus
