#pragma once
// Checks whether the units of values fit each other where they are added, compared or used in other
// operations.

#include "config/config.h"
#include "core/error.h"
#include "units/units.h"

namespace pileus::apps {

/// Warns of values that are added, subtracted, compared or chosen from although their units differ; of
/// functions of pure numbers that get something else; and of diagnostics whose declared units cannot be
/// converted from those of the fields. A number may have units of its own, so nobody knows the units of a
/// product with one.
void check_unit_clashes(const Config& config, const UnitSystem& system, Findings& findings);

}  // namespace pileus::apps
