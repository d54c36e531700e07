#include "streams/kept_fields.h"

#include <algorithm>

namespace pileus {
namespace {

/// Whether the result shares nothing with what the rule takes.
bool is_made_anew(const Plan& plan, const Rule& rule) {
  if (std::holds_alternative<Lag>(rule.action)) return true;  // which has copies
  if (std::holds_alternative<LocalReduce>(rule.action) || std::holds_alternative<SiftPart>(rule.action))
    return plan[rule.output].form == Form::partials;
  return false;
}

}  // namespace

void KeptFields::Uses::add(const Uses& others) {
  is_kept = is_kept || others.is_kept;
  for (const ScheduleId schedule : others.schedules)
    if (std::ranges::find(schedules, schedule) == schedules.end()) schedules.push_back(schedule);
}

KeptFields::KeptFields(const Plan& plan) {
  std::vector<Uses> of_values(plan.values.size());
  for (const Variable& variable : plan.variables)
    of_values[variable.value.index].add({false, {variable.schedule}});
  // Rules stand behind those whose results they take, so that all uses of a result are known before its rule.
  for (auto rule = plan.rules.rbegin(); rule != plan.rules.rend(); ++rule) {
    if (is_made_anew(plan, *rule)) continue;
    const Uses uses = travels(*rule) ? Uses{true, {}} : of_values[rule->output.index];
    for (const ValueId input : rule->inputs) of_values[input.index].add(uses);
  }
  for (const PlannedField& field : plan.fields) {
    fields_.push_back(std::move(of_values[field.value.index]));
    // What waits for other servers holds the values of its step, and of those behind it.
    if (field.is_static || !plan.distributions.empty() || !plan.regrids.empty())
      fields_.back().is_kept = true;
  }
}

bool KeptFields::keeps(FieldId field, const ScheduleActions& actions) const {
  const Uses& uses = fields_[field.index];
  return uses.is_kept || std::ranges::any_of(uses.schedules, [&](ScheduleId schedule) {
           return !actions.of(schedule).empty();
         });
}

}  // namespace pileus
