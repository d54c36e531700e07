#pragma once
// What files say of chains in time: units and cell_methods. Whether a chain's periods fit the calendar.

#include <string>
#include <vector>

#include "config/config.h"
#include "plan/plan.h"

namespace pileus::planning {

/// Units of a record, through all stages.
std::string units_in_time(std::string units, const std::vector<Stage>& stages, Manipulation last);

/// "{time}: maximum {time}: mean (interval: 1 day)": in the order in which they are applied, and behind each
/// but the first how far its samples, the records of the one before, are apart. The name of the time axis
/// goes in when it is known. Source: CF conventions 1.11, sections 7.3 and 7.3.2.
std::string methods_in_time(const std::vector<Stage>& stages, Manipulation last);

/// What is wrong with periods in seconds that should end where months do; "" if nothing, or if the date of
/// model time 0 is not known.
std::string months_problem(const FileIncludeConfig& include, const PlannedTime& time);

}  // namespace pileus::planning
