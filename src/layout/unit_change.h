#pragma once
// Values in other units than the field has: units="degC" of an include.

#include <optional>
#include <vector>

#include "layout/draft.h"
#include "plan/plan.h"

namespace pileus::planning {

/// How records become the units that the include asks for, which `attributes` then have. nullopt: it asks for
/// none, or a finding says why not.
std::optional<ValueChange> change_units(const Draft& draft, const Entry& entry,
                                        const std::vector<Stage>& chain, std::vector<Attribute>& attributes,
                                        Findings& findings);

}  // namespace pileus::planning
