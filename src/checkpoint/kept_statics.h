#pragma once
// Static fields in checkpoints: by their names, shapes and global indices, so that a run on other ranks finds
// its own parts of them.

#include <string>
#include <vector>

#include "analytics/static_values.h"
#include "state/checkpoint_part.h"
#include "state/state_entries.h"

namespace pileus {

std::vector<StateEntry> entries_of(const Plan& plan, const std::vector<KeptStatic>& statics);

/// Those of fields that the plan has, static and with the same dimensions.
/// Errors: TransportError if an entry is damaged.
std::vector<KeptStatic> kept_statics(const Plan& plan, const StateEntries& entries);

inline constexpr const char* kStaticKind = "static";
/// The name of the field's entries, which says its dimensions and type, too.
StateName static_name(const Plan& plan, const PlannedField& field);

/// The names of static fields of which every model rank finds its part in regions of the entries.
std::vector<std::string> fields_kept_whole(const Plan& plan, const StateEntries& entries);
/// Nobody has to put these again.
void mark_kept_statics(Plan& plan, const std::vector<std::string>& names);

}  // namespace pileus
