#pragma once
// The dimensions and scalar coordinates of a file as the tables of CMIP have them.

#include "config/config.h"
#include "layout/draft.h"
#include "plan/plan.h"

namespace pileus::planning {

/// Gives the file its own names, attributes, units and bounds of dimensions, and its scalars; and the
/// variable of `entry` what stands for no value. Errors: it has other dimensions or levels than the table
/// says.
void shape_for_cmip(const Draft& draft, const FileConfig& config, const Entry& entry, Variable& variable,
                    PlannedFile& file, Findings& findings);

/// What happens without a time axis: the file gets a record once, when the run ends.
Schedule schedule_of_fixed_file(FileId file, Manipulation instantaneous);

}  // namespace pileus::planning
