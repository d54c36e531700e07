#include "analytics/local_analysis.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/error.h"

namespace pileus {

LocalAnalysis::LocalAnalysis(const Plan& plan, ClientRank client, StepResults& results, Failed failed,
                             std::vector<KeptStatic> kept, const StateEntries* continued)
    : plan_(plan),
      client_(client),
      results_(results),
      runner_(plan, regions_of_client(plan, client), std::move(failed)),
      statics_(plan, client, std::move(kept)),
      lags_(plan, client, regions_of_client(plan, client), continued),
      held_(plan, client, regions_of_client(plan, client), continued),
      elements_(plan.trees.size()) {
  for (std::size_t f = 0; f < plan.fields.size(); ++f) {
    if (plan.fields[f].is_static) static_fields_.emplace_back(f);
  }
  std::vector<RuleId> rules;
  for (std::size_t r = 0; r < plan.rules.size(); ++r) {
    if (!travels(plan.rules[r]) && is_made_by(plan[plan.rules[r].output], client)) rules.emplace_back(r);
  }
  sweeps_.emplace(plan, rules, runner_);
  std::erase_if(rules,
                [this](RuleId rule) { return sweeps_->sweep_of(rule) || sweeps_->is_within_sweeps(rule); });
  runner_.bind(rules);
  if (continued != nullptr)
    runner_.followed().restore(*continued, [&](ValueId made) { return is_made_by(plan[made], client); });
}

/// What is the same on all ranks is rank 0's.
std::vector<StateEntry> LocalAnalysis::kept() const {
  std::vector<StateEntry> entries = lags_.state();
  const auto is_ours = [this](ValueId made) {
    return is_made_by(plan_[made], client_) && (plan_[made].spread == Spread::distributed || client_ == 0);
  };
  std::ranges::move(runner_.followed().state(is_ours), std::back_inserter(entries));
  std::ranges::move(held_.state(), std::back_inserter(entries));
  return entries;
}

void LocalAnalysis::take(Parcel parcel) {
  if (has_open_step() && parcel.step.index != last_step_) {
    throw TransportError("model rank " + std::to_string(client_) + " went on to step " +
                         std::to_string(parcel.step.index) + " before it had sent all of step " +
                         std::to_string(last_step_));
  }
  if (parcel.step.index < last_step_ || (parcel.step.index == last_step_ && !has_open_step())) {
    throw TransportError("model rank " + std::to_string(client_) + " went back to step " +
                         std::to_string(parcel.step.index) + " after step " + std::to_string(last_step_));
  }
  if (!has_open_step()) open(parcel);
  OpenStep& step = open_.back();
  if (std::erase(step.groups_missing, parcel.group) == 0) {
    throw TransportError("model rank " + std::to_string(client_) + " sent \"" + plan_[parcel.group].name +
                         "\" in step " + std::to_string(parcel.step.index) +
                         ", where nobody wanted it or it had come already");
  }
  PointSamples on_points;
  for (auto& [field, sample] : parcel.fields) {
    if (plan_[field].points) {
      on_points.emplace_back(field, std::move(sample));
    } else if (plan_[field].is_static) {
      step.flow.settle(plan_[field].value, statics_.take(field, sample));
    } else if (plan_[field].is_held) {
      step.flow.settle(plan_[field].value, held_.take(field, last_step_, sample));
    } else {
      step.flow.settle(plan_[field].value, std::move(sample));
    }
  }
  for (auto& [value, sample] : parcel.made) step.flow.settle_made(value, std::move(sample));
  deal(step, parcel.group, std::move(on_points));
  go_on(step);
  close_complete_steps();
}

void LocalAnalysis::open(const Parcel& parcel) {
  const StepKind& kind = *parcel.facts->kind;
  const ClientFacts& due = kind.of(client_);
  last_step_ = parcel.facts->step.index;
  OpenStep& step = open_.emplace_back(
      OpenStep{parcel.facts, StepFlow(plan_, runner_, kind, due.rules, &*sweeps_, spare_.take()), due.groups,
               due.trees, due.regrids, due.broadcasts, lags_.of_step(kind)});
  step.flow.settle_clock(parcel.facts->step);
  if (parcel.facts->step.is_first == 0) {
    for (FieldId field : static_fields_) {
      if (!statics_on_their_way_.contains(field)) step.flow.settle(plan_[field].value, statics_[field]);
    }
  }
  for (const ValueId value : due.dealt) {
    const FieldId field = plan_[value].field;
    const bool is_dealt = is_dealt_in(step, field);
    if (is_dealt && plan_[field].is_static) statics_on_their_way_.insert(field);
    if (is_dealt || statics_on_their_way_.contains(field)) step.broadcasts_missing.push_back(value);
  }
  if (const auto early = early_.find(last_step_); early != early_.end()) {
    for (auto& [value, sample] : early->second) settle_in(step, value, sample);
  }
  early_.erase(early_.begin(), early_.upper_bound(last_step_));
}

void LocalAnalysis::pass(std::int64_t step) {
  passed_through_ = std::max(passed_through_, step);
  early_.erase(early_.begin(), early_.upper_bound(step));
}

void LocalAnalysis::settle(std::int64_t index, const BroadcastValues& values) {
  if (index > std::max(last_step_, passed_through_)) {
    BroadcastValues& early = early_[index];
    early.insert(early.end(), values.begin(), values.end());
    return;
  }
  const auto step =
      std::ranges::find(open_, index, [](const OpenStep& open) { return open.facts->step.index; });
  if (step == open_.end()) return;
  const std::size_t on_their_way = statics_on_their_way_.size();
  for (const auto& [value, sample] : values) settle_in(*step, value, sample);
  go_on(*step);
  for (OpenStep& one : open_)
    if (&one != &*step && statics_on_their_way_.size() < on_their_way) go_on(one);
  close_complete_steps();
}

void LocalAnalysis::settle_in(OpenStep& step, ValueId value, const Sample& sample) {
  if (std::erase(step.broadcasts_missing, value) == 0) return;
  const FieldId field = plan_[value].field;
  if (!field.is_valid() || !plan_[field].is_static) return step.flow.settle(value, sample);
  const Sample kept = statics_.take(field, sample);
  statics_on_their_way_.erase(field);
  step.flow.settle(value, kept);
  for (OpenStep& later : open_)
    if (std::erase(later.broadcasts_missing, value) > 0) later.flow.settle(value, kept);
}

/// A static field comes with the first step alone.
bool LocalAnalysis::is_dealt_in(const OpenStep& step, FieldId field) const {
  return plan_[field].points && step.facts->kind->wants(plan_[field].value) &&
         (!plan_[field].is_static || step.facts->step.is_first != 0);
}

/// Hands the fields on points of a group over, and what did not come of them as absent.
void LocalAnalysis::deal(const OpenStep& step, GroupId group, PointSamples came) {
  PointSamples samples;
  for (const FieldId field : plan_[group].fields) {
    if (!is_dealt_in(step, field)) continue;
    const auto found = std::ranges::find(came, field, [](const auto& one) { return one.first; });
    samples.emplace_back(field, found == came.end() ? Sample(Absent{}) : std::move(found->second));
  }
  if (!samples.empty()) results_.deal(group, step.facts->step, std::move(samples));
}

void LocalAnalysis::abandon_last_step() {
  if (!has_open_step()) return;
  OpenStep& step = open_.back();
  for (const GroupId group : std::exchange(step.groups_missing, {})) deal(step, group, {});
  step.is_abandoned = true;
  go_on(step);
  close_complete_steps();
}

void LocalAnalysis::abandon_settling() {
  for (OpenStep& step : open_) {
    for (const ValueId value : std::exchange(step.broadcasts_missing, {})) step.flow.settle(value, Absent{});
    step.is_abandoned = true;
    go_on(step);
  }
  close_complete_steps();
}

/// Lags of later steps, and what follows its inputs, may have waited for what this one had: one after the
/// other, as thousands may wait.
void LocalAnalysis::go_on(OpenStep& step) {
  if (!move_on(step)) return;
  const std::int64_t index = step.facts->step.index;
  for (OpenStep& later : open_) {
    const bool has_waited = !later.lags_missing.empty() || later.flow.follows();
    if (later.facts->step.index > index && has_waited && !move_on(later)) return;
  }
}

/// True if later steps may have waited for it.
bool LocalAnalysis::move_on(OpenStep& step) {
  if (step.groups_missing.empty()) {
    if (!step.is_abandoned) last_complete_step_ = std::max(last_complete_step_, step.facts->step.index);
    // Whatever has not come by now does not come.
    for (ValueId field : step.facts->kind->fields) {
      if (!step.flow.is_settled(field) &&
          std::ranges::find(step.broadcasts_missing, field) == step.broadcasts_missing.end())
        step.flow.settle(field, Absent{});
    }
  }
  const bool has_taken = take_for_lags(step);
  const bool has_followed = step.flow.run_rules();
  std::erase_if(step.trees_missing, [&](std::size_t tree) { return contribute_if_settled(step, tree); });
  std::erase_if(step.regrids_missing, [&](std::size_t group) { return regrid_if_settled(step, group); });
  return has_taken || has_followed;
}

/// What a step has of fields on points may come later than that of the next step, and lags need their order.
bool LocalAnalysis::take_for_lags(OpenStep& step) {
  const auto is_before = [&](const OpenStep& one) { return one.facts->step.index < step.facts->step.index; };
  const std::size_t missing = step.lags_missing.size();
  std::erase_if(step.lags_missing, [&](std::size_t source) {
    if (!step.flow.is_settled(lags_.input(source))) return false;
    for (const OpenStep& one : open_)
      if (is_before(one) && std::ranges::count(one.lags_missing, source) > 0) return false;
    lags_.take(source, step.facts->step.index, step.flow.values()[lags_.input(source).index]);
    for (const RuleId rule : lags_.lags(source))
      step.flow.settle_made(plan_[rule].output, lags_.before(source, std::get<Lag>(plan_[rule].action).back));
    return true;
  });
  return step.lags_missing.size() < missing;
}

/// Of what is the same on all ranks rank 0's counts.
bool LocalAnalysis::regrid_if_settled(const OpenStep& step, std::size_t group) {
  RegridSamples samples;
  for (const RuleId rule : plan_.regrids[group].rules) {
    if (!step.flow.is_wanted(plan_[rule].output)) continue;
    const ValueId input = plan_[rule].inputs.front();
    const bool is_from_here = plan_[input].spread == Spread::distributed || client_ == 0;
    const std::vector<ValueId>& inputs = plan_[rule].inputs;
    const auto is_there = [&](ValueId one) { return step.flow.is_settled(one); };
    if (is_from_here && !std::ranges::all_of(inputs, is_there)) return false;
    RegridSample& sample = samples.emplace_back(RegridSample{rule, Absent{}});
    if (!is_from_here) continue;
    sample.value = step.flow.values()[input.index];
    for (std::size_t i = 1; i < inputs.size(); ++i)
      sample.places.push_back(step.flow.values()[inputs[i].index]);
  }
  results_.regrid(group, step.facts->step, std::move(samples));
  return true;
}

bool LocalAnalysis::contribute_if_settled(OpenStep& step, std::size_t tree) {
  const std::vector<RuleId>& communications = plan_.trees[tree].communications;
  const auto is_wanted = [&](RuleId id) { return step.flow.is_wanted(plan_[id].output); };
  const bool is_ready = std::ranges::all_of(
      communications, [&](RuleId id) { return !is_wanted(id) || step.flow.is_settled(plan_[id].inputs[0]); });
  if (!is_ready) return false;
  results_.contribute(tree, step.facts->step, contribution(step, tree));
  return true;
}

std::unique_ptr<TreeValues> LocalAnalysis::contribution(const OpenStep& step, std::size_t tree) {
  const std::vector<RuleId>& communications = plan_.trees[tree].communications;
  const auto is_wanted = [&](std::size_t i) { return step.flow.is_wanted(plan_[communications[i]].output); };
  auto values = std::make_unique<TreeValues>(plan_, tree);
  values->reserve(elements_[tree]);
  std::size_t alone = 0;
  for (const std::size_t b : plan_.trees[tree].bundles) {
    const Bundle& bundle = plan_.bundles[b];
    if (is_wanted(bundle.first)) values->set(bundle, step.flow.values());
    alone += bundle.members.size();
  }
  for (std::size_t i = alone; i < communications.size(); ++i)
    if (is_wanted(i)) values->set(i, step.flow.values()[plan_[communications[i]].inputs[0].index]);
  elements_[tree] = values->elements();
  return values;
}

void LocalAnalysis::close_complete_steps() {
  while (!open_.empty()) {
    OpenStep& step = open_.front();
    const bool is_complete = step.groups_missing.empty() && step.trees_missing.empty() &&
                             step.regrids_missing.empty() && step.broadcasts_missing.empty() &&
                             step.flow.is_through();
    if (!is_complete) return;
    lags_.close(step.facts->step.index);
    held_.close(step.facts->step.index);
    runner_.followed().close(step.facts->step.index);
    if (!step.is_abandoned) results_.step_done(*step.facts, step.flow.values());
    spare_.give_back(std::move(step.flow).give_up());
    open_.pop_front();
    cuts_.reach(first_open());
  }
}

std::optional<std::int64_t> LocalAnalysis::first_open() const {
  return open_.empty() ? std::nullopt : std::optional(open_.front().facts->step.index);
}

void LocalAnalysis::cut(std::int64_t step, std::function<void()> at_cut) {
  if (has_open_step() || last_step_ > step) {
    throw TransportError("model rank " + std::to_string(client_) + " marked the end of step " +
                         std::to_string(step) +
                         (has_open_step() ? " before it had sent all of step " : " after parcels of step ") +
                         std::to_string(last_step_));
  }
  cuts_.add(step, std::move(at_cut));
  cuts_.reach(first_open());
}

std::vector<std::string> LocalAnalysis::open_texts() const {
  std::vector<std::string> texts;
  for (const OpenStep& step : open_) {
    if (step.broadcasts_missing.empty()) continue;
    texts.push_back("step " + std::to_string(step.facts->step.index) + " of model rank " +
                    std::to_string(client_) + " (waits for \"" + plan_[step.broadcasts_missing.front()].name +
                    "\")");
  }
  return texts;
}

}  // namespace pileus
