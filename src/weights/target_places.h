#pragma once
// Where the points of a regridding's result lie, whether axes or cells say it.

#include "core/regridding.h"

namespace pileus {

/// Of some of them. Errors: UsageError of a file that has changed.
CellPlaces places_of_target(const Regridding& how, Index first, Index count);

}  // namespace pileus
