#pragma once
// What is wrong with files before any is laid out: names that meet on the disk, dates and months without a
// date of model time 0.

#include <string>

#include "config/config.h"
#include "core/error.h"
#include "plan/plan.h"

namespace pileus::planning {

/// The name of a file in MONC's way, which has the time before its first dot. The first name of all: of a
/// file for the whole run there is one.
std::string moncs_name(const FileConfig& file);

/// `has_model`: false where the shapes are imagined, as the model may say the date of model time 0.
void check_files(const Config& config, const PlannedTime& time, bool has_model, Findings& findings);

}  // namespace pileus::planning
