#pragma once
// Whether the units of what is added, compared or computed otherwise fit each other, where they are known.

#include "apps/units.h"
#include "config/config.h"
#include "core/error.h"

namespace pileus::apps {

/// Warnings: values that are added, subtracted, compared or chosen from with units that are not the same;
/// functions of numbers that get something else; diagnostics whose declared units those of the fields cannot
/// be converted to. A number may have units of its own: a product with one has units that nobody knows.
void check_unit_clashes(const Config& config, const UnitSystem& system, Findings& findings);

}  // namespace pileus::apps
