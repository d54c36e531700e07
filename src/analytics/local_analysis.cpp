#include "analytics/local_analysis.h"

#include <algorithm>

#include "core/error.h"

namespace pileus {

LocalAnalysis::LocalAnalysis(const Plan& plan, ClientRank client, Hooks hooks)
    : plan_(plan),
      client_(client),
      hooks_(std::move(hooks)),
      runner_(plan, regions_of_client(plan, client), hooks_.failed) {
  for (std::size_t r = 0; r < plan.rules.size(); ++r) {
    const Rule& rule = plan.rules[r];
    if (!std::holds_alternative<Communicate>(rule.action) && is_local(rule.output))
      local_rules_.emplace_back(r);
  }
}

/// Whether this client's values make up `value` here: rank 0 alone stands for what is the same everywhere.
bool LocalAnalysis::is_local(ValueId id) const {
  const Value& value = plan_[id];
  if (value.spread == Spread::rooted) return false;
  return value.spread != Spread::same || value.is_everywhere || client_ == 0;
}

bool LocalAnalysis::is_expected(const PlannedGroup& group) const {
  return std::ranges::any_of(group.fields, [&](FieldId field) {
    return (plan_[field].is_sent_by_all || client_ == 0) && is_wanted(plan_[field].value);
  });
}

void LocalAnalysis::take(Parcel parcel) {
  if (open_ && parcel.step.index != open_->step.index) {
    throw TransportError("model rank " + std::to_string(client_) + " went on to step " +
                         std::to_string(parcel.step.index) + " before it had sent all of step " +
                         std::to_string(open_->step.index));
  }
  if (parcel.step.index <= last_step_) {
    throw TransportError("model rank " + std::to_string(client_) + " went back to step " +
                         std::to_string(parcel.step.index) + " after step " + std::to_string(last_step_));
  }
  if (!open_) open(parcel);
  if (std::erase(open_->groups_missing, parcel.group) == 0) {
    throw TransportError("model rank " + std::to_string(client_) + " sent \"" + plan_[parcel.group].name +
                         "\" in step " + std::to_string(parcel.step.index) +
                         ", where nobody wanted it or it had come already");
  }
  for (auto& field : parcel.fields) {
    const ValueId value = plan_[field.first].value;
    open_->values[value.index] = std::move(field.second);
    is_settled_[value.index] = true;
  }
  run_ready_rules();
  if (open_->groups_missing.empty()) close();
}

void LocalAnalysis::open(const Parcel& parcel) {
  if (!tracker_) tracker_.emplace(plan_.needs, parcel.start_time_s);
  tracker_->advance(parcel.step);
  open_ = OpenStep{parcel.step,
                   parcel.start_time_s,
                   StepValues(plan_.values.size()),
                   std::vector<bool>(local_rules_.size(), false),
                   {}};
  is_settled_.assign(plan_.values.size(), false);
  for (std::size_t g = 0; g < plan_.groups.size(); ++g) {
    if (is_expected(plan_.groups[g])) open_->groups_missing.emplace_back(g);
  }
}

void LocalAnalysis::run_ready_rules() {
  // Rules stand in the order of their dependencies, so one pass finds all that have become ready.
  for (std::size_t i = 0; i < local_rules_.size(); ++i) {
    const Rule& rule = plan_[local_rules_[i]];
    if (open_->has_run[i] || !is_wanted(rule.output)) continue;
    if (!std::ranges::all_of(rule.inputs, [&](ValueId input) { return bool(is_settled_[input.index]); }))
      continue;
    runner_.run(local_rules_[i], open_->values);
    open_->has_run[i] = true;
    is_settled_[rule.output.index] = true;
  }
}

void LocalAnalysis::close() {
  const OpenStep step = std::move(*open_);
  open_.reset();
  last_step_ = step.step.index;
  for (std::size_t t = 0; t < plan_.trees.size(); ++t) {
    if (plan_.trees[t].takes_rank_zero && client_ != 0) continue;
    auto values = std::make_unique<TreeValues>(plan_, t);
    bool is_tree_wanted = false;
    for (std::size_t i = 0; i < plan_.trees[t].communications.size(); ++i) {
      const Rule& rule = plan_[plan_.trees[t].communications[i]];
      if (!is_wanted(rule.output)) continue;
      is_tree_wanted = true;
      const bool is_rank_zeros = std::get<Communicate>(rule.action).takes_rank_zero;
      if (!is_rank_zeros || client_ == 0) values->set(i, step.values[rule.inputs[0].index]);
    }
    if (is_tree_wanted) hooks_.contribute(t, step.step, std::move(values));
  }
  hooks_.step_done(step.step, step.start_time_s, step.values);
}

}  // namespace pileus
