#pragma once
// Checks whether UDUNITS knows the units, as CF asks. Only `pileus check` reports this: a run writes the
// units that it is given.

#include "config/config.h"
#include "core/error.h"
#include "units/units.h"

namespace pileus::apps {

/// Warns of each unit of fields, diagnostics and dimensions that UDUNITS does not know.
void check_units(const Config& config, Findings& findings);
/// Does the same with a system of units that has been read already, as reading takes a while.
void check_units(const Config& config, const UnitSystem& system, Findings& findings);

}  // namespace pileus::apps
