#pragma once
// Whether units are such as UDUNITS knows, which CF asks for. Only `pileus check` says it: a run writes what
// it is given.

#include "config/config.h"
#include "core/error.h"

namespace pileus::apps {

/// A warning for each of fields, diagnostics and dimensions that is none.
void check_units(const Config& config, Findings& findings);

}  // namespace pileus::apps
