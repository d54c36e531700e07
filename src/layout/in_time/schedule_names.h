#pragma once
// What tells the schedules of a file apart in its names: of time axes, and of variables that it has twice.

#include <string>
#include <vector>

#include "config/config.h"
#include "plan/plan.h"

namespace pileus::planning {

/// Names the time axes of a file. `all`: its schedules.
void name_schedules(Plan& plan, const std::vector<ScheduleId>& all, Naming naming);

/// "_averaged", "_maximum_averaged", or MONC's word: behind the name of a variable that a file has twice.
std::string variable_suffix(const Schedule& schedule, Naming naming);

/// "_60", "_1_month", "_3_month_from_March": behind it where that is not enough. "" without a frequency.
std::string frequency_suffix(const Schedule& schedule);

/// "_of_86400", "_over_the_last_24", "_from_600": behind that where they are alike but for this.
std::string detail_suffix(const Schedule& schedule);

}  // namespace pileus::planning
