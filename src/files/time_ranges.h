#pragma once
// What stands for the times of a file in its name as CMIP has it.

#include <string>
#include <string_view>

#include "plan/plan.h"

namespace pileus {

/// The characters of which a time range is.
inline constexpr std::string_view kOfTimeRange = "-0123456789";

/// Whether a key such as "{months}" stands for one.
bool is_time_range(std::string_view key);

/// "185001-194912": the first and the last time of a period in the form of CMIP. Means of hours have the
/// middle of these, and instants their ends; else it is in which day, month or year a record lies.
/// Source: CMIP6 global attributes, DRS, filenames, directory structure and CVs, v6.2.7, table 2.
std::string time_range(std::string_view key, const PlannedTime& time, double begin_s, double end_s);

}  // namespace pileus
