#pragma once
// Whether units are such as UDUNITS knows, which CF asks for. Only `pileus check` says it: a run writes what
// it is given.

#include "apps/units.h"
#include "config/config.h"
#include "core/error.h"

namespace pileus::apps {

/// A warning for each of fields, diagnostics and dimensions that is none.
void check_units(const Config& config, Findings& findings);
/// The same with units that are read already, which takes a while.
void check_units(const Config& config, const UnitSystem& system, Findings& findings);

}  // namespace pileus::apps
