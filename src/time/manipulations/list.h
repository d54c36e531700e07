#pragma once
// The declarations of all time manipulations; the list of their names is PILEUS_MANIPULATIONS.

#include <vector>

#include "core/manipulation.h"

namespace pileus {

namespace manipulations {
#define PILEUS_DECLARE(name) const ManipulationDeclaration& name();
PILEUS_MANIPULATIONS(PILEUS_DECLARE)
#undef PILEUS_DECLARE
}  // namespace manipulations

/// The declarations, in the order of that list.
inline std::vector<Manipulation> all_manipulations() {
#define PILEUS_LIST(name) manipulations::name(),
  return {PILEUS_MANIPULATIONS(PILEUS_LIST)};
#undef PILEUS_LIST
}

}  // namespace pileus
