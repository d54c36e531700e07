#pragma once
// Chains in time as a plan has them, what files say of them, and whether their periods fit the calendar.

#include <string>
#include <string_view>
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

/// Puts the name of the time axis into what methods_in_time gives; of a diurnal composite also what the
/// methods are over, "time: mean within days time: mean over days". Source: CF conventions 1.11, section 7.4.
void name_time(std::string& cell_methods, const Schedule& schedule);

/// nullptr: there is none of that name.
const Manipulation* find_manipulation(const Catalogue& catalogue, std::string_view word);

/// What is wrong with a chain besides what its text says (config/stages.h): stages that others can make
/// nothing of, and periods in seconds that should end where months do; "" if nothing. Of months nothing is
/// known without the date of model time 0.
std::string chain_problem(const FileIncludeConfig& include, const Catalogue& catalogue,
                          const PlannedTime& time);

/// Those before the last. REQUIRES: no problem.
std::vector<Stage> stages_of(const FileIncludeConfig& include, const Catalogue& catalogue,
                             const PlannedTime& time);
Segments segments_of(const FileIncludeConfig& include);
Span span_of(const FileIncludeConfig& include);
Diurnal diurnal_of(const FileIncludeConfig& include, const PlannedTime& time);

}  // namespace pileus::planning
