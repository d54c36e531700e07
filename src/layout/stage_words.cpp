#include "layout/stage_words.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "config/messages.h"
#include "core/suggest.h"
#include "layout/draft.h"
#include "layout/metadata.h"
#include "plan/time_units.h"

namespace pileus::planning {
namespace {

constexpr double kDay_s = 86400;

/// "1 day", "3 hour", "10 s", "1 month": a number and a unit of UDUNITS.
std::string interval(const Frequency& period) {
  if (period.months > 0) return std::to_string(period.months) + " month";
  constexpr std::pair<double, const char*> kUnits[] = {{86400, "day"}, {3600, "hour"}, {60, "minute"}};
  for (const auto& [seconds, unit] : kUnits) {
    const double count = period.seconds / seconds;
    if (count >= 1 && count == std::floor(count) && count < 1e9)
      return std::to_string(static_cast<std::int64_t>(count)) + " " + unit;
  }
  return text(period);
}

bool have_cell_methods(const std::vector<Stage>& chain) {
  return std::ranges::all_of(chain,
                             [](const Stage& stage) { return stage.manipulation->cell_method != nullptr; });
}

/// "averaged, minimum or maximum"
std::string of_parts(const Catalogue& catalogue) {
  std::vector<std::string> names;
  for (const Manipulation& one : catalogue.time_manipulations)
    if (one->is_of_parts) names.push_back(one->name);
  return listed(names);
}

/// Whether boundaries in months are multiples of a time. Calendars repeat after 400 years.
bool are_multiples(const Boundaries& months, double period_s) {
  const std::int64_t each = months.frequency().months;
  for (std::int64_t k = 0; k * each <= 4800; ++k) {
    const double count = months.at(k) / period_s;
    if (std::abs(count - std::round(count)) > 1e-6) return false;
  }
  return true;
}

/// What is wrong with periods in seconds that should end where months do.
std::string months_problem(const FileIncludeConfig& include, const PlannedTime& time) {
  if (!time.has_epoch || !include.output_frequency) return "";
  for (std::size_t s = 0; s < include.stages.size(); ++s) {
    const StageConfig& stage = include.stages[s];
    const bool is_last = s + 1 == include.stages.size();
    const Duration& whole = is_last ? *include.output_frequency : include.stages[s + 1].period;
    if (stage.period.months > 0 || whole.months == 0) continue;
    if (are_multiples(Boundaries(frequency_of(whole, time)), stage.period.seconds)) continue;
    return quoted(stage.name) + " over " + text(Frequency(stage.period.seconds)) +
           " does not end where each month ends: its periods are multiples from model time 0, " +
           text(time.epoch) +
           ", and months end at 00:00; periods such as \"1 d\" do from an epoch at 00:00 on";
  }
  return "";
}

/// What is wrong with stages before a composite where the day does not begin when model time 0 is.
std::string midnight_problem(const FileIncludeConfig& include, const PlannedTime& time) {
  if (include.diurnal == 0 || include.stages.empty()) return "";
  const StageConfig& stage = include.stages.back();
  const double midnight_s = diurnal_of(include, time).midnight_s;
  const double periods = midnight_s / stage.period.seconds;
  if (std::abs(periods - std::round(periods)) < 1e-9) return "";
  return quoted(stage.name) + " over " + text(Frequency(stage.period.seconds)) +
         " does not end where parts of the day do: its periods are multiples from model time 0, " +
         text(time.epoch);
}

/// "{time}: maximum {time}: mean (interval: 1 hour)" of parts of the day. Source: CF 1.11, section 7.4.
std::string within_days(const std::string& methods, const Schedule& schedule) {
  const std::string place = kTimePlace;
  const std::size_t at = methods.rfind(place);
  if (at == methods.npos) return methods;
  const std::string last = methods.substr(at, methods.find(" (", at) - at);
  const std::string interval = methods.substr(at + last.size());
  const std::string over = " " + last + " over days";
  if (schedule.stages.empty() ||
      schedule.stages.back().period.seconds * static_cast<double>(schedule.diurnal.bins) != kDay_s)
    return methods.substr(0, at) + last + " within days" + interval + over + interval;
  std::string before = methods.substr(0, at - 1);  // a record of the stage before is the whole part of a day
  const std::size_t name = before.rfind(place);
  before.insert(std::min(before.find(" (", name), before.size()), " within days");
  return before + over;
}

}  // namespace

bool hold_samples(const std::vector<Stage>& chain) {
  return std::ranges::all_of(
      chain, [](const Stage& stage) { return stage.manipulation->holds == RecordHolds::samples; });
}

std::string name_in_time(const std::string& of_value, const std::vector<Stage>& chain) {
  if (have_cell_methods(chain)) return of_value;
  std::string name = of_value;
  for (const Stage& stage : chain) {
    const char* const method = stage.manipulation->cell_method;
    std::string words = method != nullptr ? method : stage.manipulation->name;
    std::ranges::replace(words, '_', ' ');
    name = words + " of " + name;
  }
  return name;
}

std::vector<Attribute> units_in_time(std::string units, const std::string& units_metadata,
                                     const std::vector<Stage>& chain, const PlannedTime& time) {
  bool are_of_samples = true;
  for (const Stage& stage : chain) {
    const ManipulationDeclaration& made = *stage.manipulation.operator->();
    switch (made.holds) {
      case RecordHolds::samples:
      case RecordHolds::change:
        if (made.units != nullptr && !units.empty()) units = made.units(units);
        continue;
      case RecordHolds::number: units = "1"; break;
      case RecordHolds::duration: units = "s"; break;
      case RecordHolds::time: return units_of_time(time);
    }
    are_of_samples = false;
  }
  std::vector<Attribute> attributes;
  if (!units.empty()) attributes.push_back({"units", units});
  if (are_of_samples && !units_metadata.empty()) {
    const bool is_difference = std::ranges::any_of(
        chain, [](const Stage& stage) { return stage.manipulation->origin == UnitOrigin::dropped; });
    const bool was_on_scale = units_metadata == "temperature: on_scale";
    attributes.push_back(
        {"units_metadata", is_difference && was_on_scale ? "temperature: difference" : units_metadata});
  }
  return attributes;
}

std::string methods_in_time(const std::vector<Stage>& chain) {
  if (!have_cell_methods(chain)) return "";
  std::string methods;
  for (std::size_t s = 0; s < chain.size(); ++s) {
    methods += std::string(s > 0 ? " " : "") + kTimePlace + chain[s].manipulation->cell_method;
    if (s > 0) methods += " (interval: " + interval(chain[s - 1].period) + ")";
  }
  return methods;
}

void name_time(std::string& cell_methods, const Schedule& schedule) {
  const std::string name = schedule.dimension + ": ", place = kTimePlace;
  if (schedule.diurnal.bins > 0) cell_methods = within_days(cell_methods, schedule);
  for (std::size_t at; (at = cell_methods.find(place)) != cell_methods.npos;)
    cell_methods.replace(at, place.size(), name);
}

const Manipulation* find_manipulation(const Catalogue& catalogue, std::string_view word) {
  for (const Manipulation& one : catalogue.time_manipulations)
    if (word == one->name) return &one;
  return nullptr;
}

std::string chain_problem(const FileIncludeConfig& include, const Catalogue& catalogue,
                          const PlannedTime& time) {
  for (const StageConfig& stage : include.stages) {
    const Manipulation* const manipulation = find_manipulation(catalogue, stage.name);
    if (manipulation == nullptr)
      return "no time_manipulation " + quoted(stage.name) + did_you_mean(stage.name, manipulation_words());
    if ((*manipulation)->takes_pairs || (include.with.is_given()))
      return quoted(stage.name) + " is a stage of a chain, and these have no other field to be taken with";
    if ((*manipulation)->is_of_segments)
      return quoted(stage.name) + " has a dimension more than its samples: it may be the last stage";
    if ((*manipulation)->holds == RecordHolds::time)
      return quoted(stage.name) +
             " gives model times, of which no other stage makes anything: it may be the last";
  }
  const Manipulation* const last = find_manipulation(catalogue, include.time_manipulation.value);
  if (last != nullptr && (*last)->takes_pairs && !include.with.is_given())
    return quoted((*last)->name) + " needs the other field: with=\"...\"";
  if (last != nullptr && !(*last)->takes_pairs && !(*last)->is_of_segments && include.with.is_given())
    return "with=" + quoted(include.with.value) +
           " goes with covariance, correlation, weighted_mean and time_spectrum, and not with " +
           quoted((*last)->name);
  if (include.diurnal > 0 && last != nullptr && !(*last)->is_of_parts)
    return "diurnal goes with " + of_parts(catalogue) + ", and not with " + quoted((*last)->name) +
           ": what it makes of all days is nothing that CF has a word for";
  if (std::string problem = midnight_problem(include, time); !problem.empty()) return problem;
  return months_problem(include, time);
}

std::vector<Stage> stages_of(const FileIncludeConfig& include, const Catalogue& catalogue,
                             const PlannedTime& time) {
  std::vector<Stage> stages;
  for (const StageConfig& stage : include.stages)
    stages.push_back({*find_manipulation(catalogue, stage.name), frequency_of(stage.period, time)});
  return stages;
}

Segments segments_of(const FileIncludeConfig& include) {
  const SegmentsConfig& given = include.segments;
  return {given.samples, given.interval_s, given.are_overlapping};
}

Span span_of(const FileIncludeConfig& include) {
  Span span;
  if (include.from.is_given()) span.from_s = include.from.seconds;
  if (include.until.is_given()) span.until_s = include.until.seconds;
  return span;
}

Diurnal diurnal_of(const FileIncludeConfig& include, const PlannedTime& time) {
  if (include.diurnal == 0) return {};
  const Date& epoch = time.epoch;
  return {include.diurnal, -(epoch.hour * 3600.0 + epoch.minute * 60.0 + epoch.second)};
}

}  // namespace pileus::planning
