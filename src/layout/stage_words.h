#pragma once
// What files say of chains in time: units and cell_methods. Whether a chain's periods fit the calendar.

#include <string>
#include <vector>

#include "config/config.h"
#include "plan/plan.h"

namespace pileus::planning {

// A chain is given with its last stage, whose period is that of the records.

/// Whether a record is what the samples are, so that it has their standard_name.
bool hold_samples(const std::vector<Stage>& chain);

/// The long_name of a record. Where CF has no word for a stage, it says what was done in time.
std::string name_in_time(const std::string& of_value, const std::vector<Stage>& chain);

/// Units of a record, through all stages, and what belongs to them.
std::vector<Attribute> units_in_time(std::string units, const std::string& units_metadata,
                                     const std::vector<Stage>& chain, const PlannedTime& time);

/// "{time}: maximum {time}: mean (interval: 1 day)": in the order in which they are applied, and behind each
/// but the first how far its samples, the records of the one before, are apart. "" where CF has no word for
/// one. The name of the time axis goes in when it is known. Source: CF conventions 1.11, sections 7.3 and
/// 7.3.2.
std::string methods_in_time(const std::vector<Stage>& chain);

/// What is wrong with periods in seconds that should end where months do; "" if nothing, or if the date of
/// model time 0 is not known.
std::string months_problem(const FileIncludeConfig& include, const PlannedTime& time);

}  // namespace pileus::planning
