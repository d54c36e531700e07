#pragma once
// From the Plan to a file: its names, its definition, its attributes. The same on every server.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "files/file_frames.h"
#include "files/run_identity.h"
#include "formats/format.h"
#include "plan/plan.h"

namespace pileus {

/// Of the file of one write period, without its directory. In the configured name {time} stands for the
/// nominal end of the period in seconds, {date} for its date, {index} for its number, of at least four
/// digits; where there is none of these the time comes last: "profile_ts_100.nc", unless each file replaces
/// the one before. {step} is the last step of the period, or of the run if that ended before: `last_step`,
/// INT64_MAX while it goes on.
std::string file_name(const PlannedFile& file, const PlannedTime& time, std::int64_t period,
                      std::int64_t last_step = INT64_MAX);
/// A name that the file of this period alone has: file_name, but where each file replaces the one before
/// "latest.nc.3", which no published file has.
std::string name_of_period(const PlannedFile& file, const PlannedTime& time, std::int64_t period,
                           std::int64_t last_step = INT64_MAX);
/// The period in such a name; nothing where the name is none of the file, or not each file replaces the one
/// before.
std::optional<std::int64_t> replaced_period_of(const PlannedFile& file, std::string_view name);
/// Whether `name` is what file_name gives for some period of `file`.
bool is_of_series(const PlannedFile& file, std::string_view name);
/// A number that rises from file to file of a series; nothing where `name` is none of its names, or none says
/// when it is.
std::optional<double> place_in_series(const PlannedFile& file, std::string_view name);
/// The period from `first` on whose file has this name; nothing where none has.
std::optional<std::int64_t> period_of_name(const PlannedFile& file, const PlannedTime& time,
                                           std::string_view name, std::int64_t first);
/// Whether the last step stands in its names, as {step}.
bool has_last_step_in_name(const PlannedFile& file);
/// The step in a name of the series; nothing where its names have no {step}, or this is none of them.
std::optional<std::int64_t> step_of_name(const PlannedFile& file, std::string_view name);
/// Hidden until the file is published.
std::string temporary_name(const std::string& file_name, const RunIdentity& run);
/// The name that a file will have whose temporary name this is; "" for any other name.
std::string name_of_temporary(std::string_view name);

/// Whether each server writes what it has of the records into a file of its own.
bool is_in_parts(const Plan& plan, VariableId variable);
/// What parts of a file have to know of its variables, in their order.
std::vector<PartVariable> part_variables(const Plan& plan, FileId file);

/// The indices of variables and axes are those of PlannedFile::variables and PlannedFile::schedules.
/// `holes`: what no model rank holds, of variables where that is anything.
FileDefinition file_definition(const Plan& plan, FileId file, const RunIdentity& run,
                               const std::map<VariableId, std::string>& holes = {});

/// "24 of 231 elements, within z 0:3, y 2:5, x 1:4": the same however the rest is shared among ranks.
/// `gaps`: boxes in the order of memory, at least one, none overlapping another.
std::string hole_text(const Plan& plan, VariableId variable, const std::vector<Region>& gaps);

/// "w [0:4, 0:8] of model rank 2 in 3 records", ascending: parts that several servers, or runs, tell of are
/// one.
std::vector<std::string> missing_texts(const Plan& plan, FileId file,
                                       const std::vector<MissingPart>& missing);

}  // namespace pileus
