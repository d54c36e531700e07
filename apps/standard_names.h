#pragma once
// Whether standard names are those of CF's table, and units those of their quantities. Only `pileus check`
// asks, and only where a table is found.

#include <string>

#include "config/config.h"
#include "core/error.h"
#include "units/units.h"

namespace pileus::apps {

/// The table of CF that is to be looked at: what PILEUS_STANDARD_NAMES names, or that of the compliance
/// checker (a package of Python) whose program is found in PATH. "" if there is none.
std::string standard_name_table();

/// Warns of each standard name that the table at `path` does not have, of aliases, and of units that are of
/// another quantity. Errors: UsageError if there is no such table.
void check_standard_names(const Config& config, const std::string& path, const UnitSystem& system,
                          Findings& findings);

}  // namespace pileus::apps
