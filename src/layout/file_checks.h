#pragma once
// Checks files before any is laid out: names that clash on the disk, and dates and months without a date of
// model time 0.

#include <string>

#include "config/config.h"
#include "core/error.h"
#include "plan/plan.h"

namespace pileus::planning {

/// The name of a file in MONC's way, with the time before its first dot. It is the first name of the series;
/// a file for the whole run has no other.
std::string moncs_name(const FileConfig& file);

/// `has_model`: false if the shapes are imagined, as a model might still give the date of model time 0.
void check_files(const Config& config, const PlannedTime& time, bool has_model, Findings& findings);

}  // namespace pileus::planning
