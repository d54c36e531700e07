#pragma once
// The triggers of a Plan, and which files have records only while one is on.

#include "layout/draft.h"

namespace pileus::planning {

/// The one of which a file has the name; none where it has none. Errors: there is no such trigger.
std::optional<std::uint32_t> trigger_of(const Draft& draft, const FileConfig& file, Findings& findings);

/// How far before its trigger a file has records of this schedule. `where`: what includes it.
/// Errors: a time, of records that are steps or months apart; more records than can be kept.
Lookback lookback_of(const FileConfig& file, const Schedule& schedule, const Location& where,
                     Findings& findings);

/// REQUIRES: files are laid out. Errors: conditions that are no single number.
void plan_triggers(Draft& draft, Findings& findings);

}  // namespace pileus::planning
