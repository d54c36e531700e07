#pragma once
// Static fields in checkpoints: by their names and global indices, so that a run on other ranks finds its own
// parts of them.

#include <vector>

#include "analytics/static_values.h"
#include "state/state_entries.h"

namespace pileus {

std::vector<StateEntry> entries_of(const Plan& plan, const std::vector<KeptStatic>& statics);

/// Those of fields that the plan has, static and with the same dimensions.
/// Errors: TransportError if an entry is damaged.
std::vector<KeptStatic> kept_statics(const Plan& plan, const StateEntries& entries);

/// Marks the fields of which every model rank finds its part in the entries: nobody has to put them.
void mark_kept_statics(Plan& plan, const StateEntries& entries);

}  // namespace pileus
