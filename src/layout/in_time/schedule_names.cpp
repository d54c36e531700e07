#include "layout/in_time/schedule_names.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace pileus::planning {
namespace {

/// The shortest form of a number, in characters that every tool takes in a name: 0.5 is "0_5".
std::string number_in_name(double value) {
  char digits[400];
  const auto end = std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed).ptr;
  std::string text(digits, end);
  std::replace(text.begin(), text.end(), '.', '_');
  return text;
}

/// "_averaged", "_maximum_averaged".
std::string suffix(const Schedule& schedule) {
  std::string names;
  for (const Stage& stage : schedule.stages) names += std::string("_") + stage.manipulation->name;
  return names + "_" + schedule.manipulation->name;
}

/// "_60", "_1_month", "_3_month_from_March"; "" for none.
std::string in_name(const Frequency& every) {
  if (every.months > 0) {
    const std::string months = "_" + std::to_string(every.months) + "_month";
    return every.from_month == 0
               ? months
               : months + "_from_" + month_names()[static_cast<std::size_t>(every.from_month) - 1];
  }
  return every.is_given() ? "_" + number_in_name(every.seconds) : "";
}

/// Steps, or seconds.
std::string number_in_name(const Cadence& cadence) {
  return cadence.is_in_time() ? number_in_name(cadence.every.seconds) : std::to_string(cadence.steps);
}

/// "_every_5_steps", "_every_30_s".
std::string cadence_suffix(const Cadence& cadence) {
  return "_every_" + number_in_name(cadence) + (cadence.is_in_time() ? "_s" : "_steps");
}

/// What tells two schedules apart that differ in how they count alone.
std::string count_suffix(const Plan& plan, const Schedule& schedule, const std::vector<ScheduleId>& all) {
  const auto counts_otherwise = [&](ScheduleId id) {
    const Schedule& other = plan[id];
    return !other.is_from_last && other.manipulation == schedule.manipulation &&
           other.cadence == schedule.cadence && other.output_frequency == schedule.output_frequency;
  };
  return schedule.is_from_last && std::ranges::any_of(all, counts_otherwise) ? "_from_last" : "";
}

/// "time", and where a file has several what tells this one from the others.
std::string time_axis(const Plan& plan, const Schedule& schedule, const std::vector<ScheduleId>& all) {
  if (all.size() == 1) return "time";
  std::string name = suffix(schedule) + frequency_suffix(schedule);
  const auto is_alike_but_for_details = [&](ScheduleId other) {
    return suffix(plan[other]) + frequency_suffix(plan[other]) == name;
  };
  const std::string detail = detail_suffix(schedule);
  const auto is_alike = [&](ScheduleId other) {
    return is_alike_but_for_details(other) && detail_suffix(plan[other]) == detail;
  };
  const bool has_detail =
      std::ranges::count_if(all, is_alike_but_for_details) > std::ranges::count_if(all, is_alike);
  const std::string cadence =
      std::ranges::count_if(all, is_alike) > 1 ? cadence_suffix(schedule.cadence) : "";
  if (has_detail) name += detail;
  return "time" + name + cadence + count_suffix(plan, schedule, all);
}

/// "time_series_5_60": steps between samples, seconds between records. MONC has one axis for all schedules
/// with the same numbers; here an average has other times than an instant.
std::string moncs_time_axis(const Plan& plan, const Schedule& schedule, const std::vector<ScheduleId>& all,
                            Naming naming) {
  const auto is_alike = [&](ScheduleId other) {
    return plan[other].cadence == schedule.cadence &&
           plan[other].output_frequency == schedule.output_frequency;
  };
  const std::string steps = schedule.at_checkpoints ? "0" : number_in_name(schedule.cadence);
  std::string name = "time_series_" + steps + frequency_suffix(schedule);
  if (naming == Naming::monc_leeds && schedule.output_frequency.is_given()) name += ".0";
  const bool has_suffix = std::ranges::count_if(all, is_alike) > 1;
  const std::string named = has_suffix ? name + suffix(schedule) + detail_suffix(schedule) : name;
  return named + count_suffix(plan, schedule, all);
}

}  // namespace

std::string frequency_suffix(const Schedule& schedule) { return in_name(schedule.output_frequency); }

std::string detail_suffix(const Schedule& schedule) {
  std::string text;
  for (const Stage& stage : schedule.stages) text += "_of" + in_name(stage.period);
  if (schedule.running_windows > 1) text += "_over_the_last_" + std::to_string(schedule.running_windows);
  if (std::isfinite(schedule.span.from_s)) text += "_from_" + number_in_name(schedule.span.from_s);
  if (std::isfinite(schedule.span.until_s)) text += "_until_" + number_in_name(schedule.span.until_s);
  if (schedule.diurnal.bins > 0) text += "_diurnal_" + std::to_string(schedule.diurnal.bins);
  return text;
}

std::string variable_suffix(const Schedule& schedule, Naming naming) {
  const bool has_moncs =
      is_moncs(naming) && schedule.stages.empty() && schedule.manipulation->monc_suffix != nullptr;
  return has_moncs ? schedule.manipulation->monc_suffix : suffix(schedule);
}

void name_schedules(Plan& plan, const std::vector<ScheduleId>& all, Naming naming) {
  for (ScheduleId id : all) {
    Schedule& schedule = plan.schedules[id.index];
    schedule.dimension =
        is_moncs(naming) ? moncs_time_axis(plan, schedule, all, naming) : time_axis(plan, schedule, all);
  }
}

}  // namespace pileus::planning
