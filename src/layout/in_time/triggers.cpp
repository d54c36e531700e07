#include "layout/in_time/triggers.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "config/messages.h"
#include "core/shortest.h"
#include "core/suggest.h"

namespace pileus::planning {
namespace {

/// Not valid where it is in no file: what is wrong with it has been reported.
VariableId variable_of(const Plan& plan, const TriggerConfig& trigger, const Text& condition) {
  for (std::size_t v = 0; v < plan.variables.size() && !condition.value.empty(); ++v) {
    const Variable& one = plan.variables[v];
    if (plan[one.file].name == trigger.file.value && one.name == condition.value) return VariableId(v);
  }
  return {};
}

void refuse_static(const Plan& plan, const TriggerConfig& trigger, const Text& condition,
                   const char* attribute, Findings& findings) {
  for (const Variable& one : plan.statics) {
    if (condition.value.empty() || plan[one.file].name != trigger.file.value || one.name != condition.value)
      continue;
    findings.error(trigger.where, "trigger " + in_quotes(trigger.name.value) + ": " + attribute +
                                      " is made of static fields alone, and never changes");
  }
}

void require_number(const Draft& draft, VariableId variable, const TriggerConfig& trigger,
                    const char* attribute, Findings& findings) {
  if (!variable.is_valid()) return;
  if (!is_number(draft.terms[draft.variable_terms[variable.index]].type))
    findings.error(trigger.where, "trigger " + in_quotes(trigger.name.value) + ": " + attribute +
                                      " is a text, and has to be one number: compare numbers, for example "
                                      "\"max[z,y,x](w) > 30\"");
  if (draft.plan[variable].dimensions.empty()) return;
  std::string names;
  for (const DimensionId id : draft.plan[variable].dimensions)
    names += (names.empty() ? "" : ",") + draft.shapes.dimensions[id.index].name;
  findings.error(trigger.where,
                 "trigger " + in_quotes(trigger.name.value) + ": " + attribute +
                     " has a value for each point of " + names +
                     ", and has to be one number: reduce it, for example \"max[z,y,x](w) > 30\"");
}

double seconds_of(const Duration& duration, const TriggerConfig& trigger, const char* attribute,
                  Findings& findings) {
  if (duration.months > 0)
    findings.error(duration.where, "trigger " + in_quotes(trigger.name.value) + ": " + attribute +
                                       " is a time in s, min, h or d, as months have no fixed length");
  return duration.seconds;
}

PlannedTrigger planned(const Draft& draft, const TriggerConfig& config, Findings& findings) {
  PlannedTrigger trigger;
  trigger.name = config.name.value;
  trigger.event = config.event.value;
  trigger.when = variable_of(draft.plan, config, config.when);
  trigger.until = variable_of(draft.plan, config, config.until);
  refuse_static(draft.plan, config, config.when, "when", findings);
  refuse_static(draft.plan, config, config.until, "until", findings);
  require_number(draft, trigger.when, config, "when", findings);
  require_number(draft, trigger.until, config, "until", findings);
  trigger.lasts_s = seconds_of(config.lasts, config, "lasts", findings);
  trigger.at_most_every_s = seconds_of(config.at_most_every, config, "at_most_every", findings);
  trigger.command = config.command.value;
  trigger.asks_for_checkpoint = config.asks_for_checkpoint;
  return trigger;
}

}  // namespace

std::optional<std::uint32_t> trigger_of(const Draft& draft, const FileConfig& file, Findings& findings) {
  if (!file.trigger.is_given()) return std::nullopt;
  const std::vector<TriggerConfig>& all = draft.graph.config->triggers;
  std::vector<std::string> names;
  for (std::uint32_t t = 0; t < all.size(); ++t) {
    names.push_back(all[t].name.value);
    if (names.back() == file.trigger.value) return t;
  }
  findings.error(file.trigger.where, "there is no <trigger> " + in_quotes(file.trigger.value) +
                                         did_you_mean(file.trigger.value, names));
  return std::nullopt;
}

Lookback lookback_of(const FileConfig& file, const Schedule& schedule, const Location& where,
                     Findings& findings) {
  constexpr double kMostRecords = 1000;
  Lookback lookback;
  if (file.before.is_final_only() || schedule.manipulation.covers_window()) return lookback;
  double records = 0;
  bool is_too_short = false;
  if (!file.before.is_in_time()) {
    lookback.steps = file.before.steps;
    const std::int64_t each =
        schedule.cadence.is_in_time() ? 1 : std::max<std::int64_t>(schedule.cadence.steps, 1);
    records = std::ceil(static_cast<double>(lookback.steps) / static_cast<double>(each));
    is_too_short = lookback.steps < each;
  } else {
    lookback.time_s = file.before.every.seconds;
    const Frequency& apart =
        schedule.output_frequency.is_given() ? schedule.output_frequency : schedule.cadence.every;
    if (!apart.is_given() || apart.months > 0) {
      findings.error(where, "file " + in_quotes(file.name.value) + " has records from " +
                                text(file.before.every) +
                                " before its trigger on, and how many these are "
                                "cannot be told where each " +
                                (apart.is_given() ? "month" : "step") +
                                " gives one: give before a number of steps, or include it with an "
                                "output_frequency in s, min, h or d");
      return {};
    }
    records = std::floor(lookback.time_s / apart.seconds) + 2;
    is_too_short = lookback.time_s < apart.seconds;
  }
  if (is_too_short)
    findings.warning(where, "file " + in_quotes(file.name.value) + ": " +
                                text(Lookback(lookback.steps, lookback.time_s, 1)).substr(2) +
                                " there is no record, as they are further apart; let before begin earlier");
  if (records > kMostRecords) {
    findings.error(file.before_where, "file " + in_quotes(file.name.value) + " would keep more than " +
                                          shortest(kMostRecords) +
                                          " records for its trigger: let it begin later");
    return {};
  }
  lookback.records = static_cast<std::int64_t>(records);
  return lookback;
}

void plan_triggers(Draft& draft, Findings& findings) {
  const Config& config = *draft.graph.config;
  for (const TriggerConfig& trigger : config.triggers)
    draft.plan.triggers.push_back(planned(draft, trigger, findings));
}

}  // namespace pileus::planning
