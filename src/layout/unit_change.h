#pragma once
// Values in other units than the field has: units="degC" of an include.

#include <optional>
#include <string>
#include <vector>

#include "layout/draft.h"
#include "plan/plan.h"

namespace pileus::planning {

/// How records become the units that the include asks for, which `attributes` then have. nullopt: it asks for
/// none, or a finding says why not.
/// `units_metadata`: of the field or diagnostic.
std::optional<ValueChange> change_units(const Draft& draft, const Entry& entry,
                                        const std::vector<Stage>& chain, const std::string& units_metadata,
                                        std::vector<Attribute>& attributes, Findings& findings);

/// Errors: attributes such as valid_min, which are in the units that the values had. Those of the include
/// itself are in the new ones.
void check_ranges(const Entry& entry, const std::vector<Attribute>& attributes, Findings& findings);

}  // namespace pileus::planning
