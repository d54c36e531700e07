#include "streams/deferral.h"

#include <algorithm>

namespace pileus {
namespace {

/// Tells for each value whether it is made of what the tree delivers.
std::vector<bool> values_behind(const Plan& plan, const Tree& tree) {
  std::vector<bool> is_behind(plan.values.size(), false);
  for (RuleId communication : tree.communications) is_behind[plan[communication].output.index] = true;
  for (const Rule& rule : plan.rules) {
    if (std::ranges::any_of(rule.inputs, [&](ValueId input) { return is_behind[input.index]; }))
      is_behind[rule.output.index] = true;
  }
  return is_behind;
}

bool is_sent_on(const Plan& plan, const std::vector<bool>& is_behind) {
  return std::ranges::any_of(plan.rules, [&](const Rule& rule) {
    return travels(rule) &&
           std::ranges::any_of(rule.inputs, [&](ValueId input) { return is_behind[input.index]; });
  });
}

}  // namespace

Deferral::Deferral(const Plan& plan) : plan_(plan), is_due_(plan.trees.size(), false) {
  for (std::uint32_t s = 0; s < plan.schedules.size(); ++s) axes_.push_back({ScheduleId(s), {}});
  for (std::size_t t = 0; t < plan.trees.size(); ++t) {
    const std::vector<bool> is_behind = values_behind(plan, plan.trees[t]);
    is_deferred_.push_back(!is_sent_on(plan, is_behind));
    if (!is_deferred_.back()) continue;
    for (const Variable& variable : plan.variables) {
      std::vector<std::size_t>& trees = axes_[variable.schedule.index].trees;
      if (is_behind[variable.value.index] && (trees.empty() || trees.back() != t)) trees.push_back(t);
    }
  }
  std::erase_if(axes_, [](const Axis& axis) { return axis.trees.empty(); });
}

const std::vector<bool>& Deferral::due(const Step& step, const ScheduleActions& actions) {
  // Files wait for what stands in them without a time axis.
  const bool has_statics = step.is_first != 0 && !plan_.statics.empty();
  std::fill(is_due_.begin(), is_due_.end(), step.is_checkpoint != 0 || has_statics);
  for (const Axis& axis : axes_) {
    if (!actions.ends_record(axis.schedule)) continue;
    for (std::size_t tree : axis.trees) is_due_[tree] = true;
  }
  return is_due_;
}

}  // namespace pileus
