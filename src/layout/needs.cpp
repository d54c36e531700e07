#include <algorithm>

#include "layout/draft.h"

namespace pileus::planning {
namespace {

void add(std::vector<std::uint32_t>& needs, std::uint32_t need) {
  if (std::find(needs.begin(), needs.end(), need) == needs.end()) needs.push_back(need);
}

void add(Plan& plan, ValueId value, const Need& need) {
  const auto known = std::find(plan.needs.begin(), plan.needs.end(), need);
  add(plan.values[value.index].needs, static_cast<std::uint32_t>(known - plan.needs.begin()));
  if (known == plan.needs.end()) plan.needs.push_back(need);
}

/// Static fields come with the first step whenever they are used, and what files have of them is made then.
void add_first_step(Plan& plan) {
  Need first;
  first.at_first = true;
  for (const PlannedField& field : plan.fields) {
    if (field.is_static) add(plan, field.value, first);
  }
  for (const Variable& variable : plan.statics) add(plan, variable.value, first);
}

/// A field that holds may come in any step in which its group comes.
void add_held(Plan& plan) {
  for (const PlannedField& field : plan.fields)
    if (field.is_held) add(plan, field.value, {plan[field.value].cadence, {}, false});
}

/// Drops needs for the first steps after boundaries where every step of the same cadence is wanted anyway.
/// Those that take the last step stay: a closing step may bring nothing but what they want.
void simplify(std::vector<std::uint32_t>& needs, const std::vector<Need>& all) {
  const std::vector<std::uint32_t> given = needs;
  std::erase_if(needs, [&](std::uint32_t need) {
    return (all[need].frequency.is_given() || all[need].at_checkpoints) && !all[need].takes_last &&
           std::any_of(given.begin(), given.end(), [&](std::uint32_t other) {
             return !all[other].frequency.is_given() && !all[other].at_checkpoints && !all[other].at_first &&
                    !all[other].skips_initial && all[other].cadence == all[need].cadence &&
                    all[other].at_end == all[need].at_end &&
                    (!all[other].droppable.is_valid() || all[other].droppable == all[need].droppable);
           });
  });
  std::sort(needs.begin(), needs.end());
}

/// Lags see every hand-over, as any may be what they go back to, and so does what follows its inputs.
void add_hand_overs(Plan& plan) {
  for (const Rule& rule : plan.rules) {
    const auto* const lag = std::get_if<Lag>(&rule.action);
    if (lag != nullptr) add(plan, rule.output, {plan[rule.output].cadence, {}, lag->at_end});
    const auto* const apply = std::get_if<Apply>(&rule.action);
    if (apply != nullptr && apply->prepared && apply->prepared->followed)
      add(plan, rule.output, {plan[rule.output].cadence, {}, apply->at_end});
  }
}

}  // namespace

void spread_needs(Plan& plan) {
  for (const Variable& variable : plan.variables) {
    Need need = plan[variable.schedule].need();
    const bool waits_for_trigger = plan[variable.schedule].lookback.records > 0;
    if (plan[variable.file].may_lack_records() && !waits_for_trigger) need.droppable = variable.schedule;
    add(plan, variable.sampled(), need);
    if (variable.first_of_pair.is_valid()) add(plan, variable.first_of_pair, need);
  }
  add_first_step(plan);
  add_hand_overs(plan);
  add_held(plan);
  for (auto rule = plan.rules.rbegin(); rule != plan.rules.rend(); ++rule) {
    for (ValueId input : rule->inputs) {
      for (std::uint32_t need : plan[rule->output].needs) add(plan.values[input.index].needs, need);
    }
  }
  for (Value& value : plan.values) simplify(value.needs, plan.needs);
}

}  // namespace pileus::planning
