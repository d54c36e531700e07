#include "steering/steering.h"

#include <algorithm>
#include <utility>

#include "core/error.h"

namespace pileus {
namespace {

constexpr const char* kTriggerKind = "trigger";
constexpr const char* kControlKind = "control";

}  // namespace

Steering::Steering(const Plan& plan, SteeringHost& host, StateSink& kept, const StateEntries* continued)
    : plan_(plan), host_(host), kept_(kept), control_(plan) {
  for (const PlannedTrigger& trigger : plan.triggers) triggers_.emplace_back(trigger);
  if (continued != nullptr) restore(*continued);
}

void Steering::restore(const StateEntries& continued) {
  for (TriggerState& trigger : triggers_) {
    for (const StateEntry& entry : continued.find(kTriggerKind, trigger.trigger().name)) {
      Decoder in(entry.bytes);
      trigger.restore(in);
    }
  }
  for (const StateEntry& entry : continued.find(kControlKind, "")) {
    Decoder in(entry.bytes);
    control_.restore(in);
  }
}

std::string Steering::wait_text() const {
  if (is_ready()) return "";
  std::string names;
  for (const auto& [condition, holds] : expected_)
    names += (names.empty() ? "" : ", ") + plan_[condition.variable].name;
  return "the clock waits for what triggers ask for in step " + std::to_string(step_.done()) + ": " + names;
}

void Steering::ask(ControlRequest request) {
  constexpr std::size_t kMostWaiting = 1000;
  if (asked_.size() < kMostWaiting) asked_.push_back(std::move(request));
}

const DroppedAxes& Steering::advance(const Step& step, const std::vector<std::string>& events) {
  if (is_decided_ && step.index == step_.index) return dropped_;
  if (!is_ended_ && step_.is_checkpoint)
    kept_.keep(step_.index, {}, "the run was stopped before it was known what triggers ask for");
  step_ = step;
  is_decided_ = is_ended_ = is_passed_ = false;
  known_.clear();
  dropped_.clear();
  take_events(step, events);
  take_requests(step);
  for (const PlannedFile& file : plan_.files) {
    if (!file.trigger || triggers_[*file.trigger].is_on()) continue;
    for (const ScheduleId axis : file.schedules) dropped_.add(axis, WhyDropped::trigger);
  }
  control_.add_dropped(step, dropped_);
  is_decided_ = true;
  return dropped_;
}

void Steering::take_events(const Step& step, const std::vector<std::string>& events) {
  for (TriggerState& trigger : triggers_)
    if (trigger.end_if_over(step)) host_.triggered(trigger.trigger(), false, step);
  for (const std::string& word : events) {
    host_.happened(word, step);
    for (TriggerState& trigger : triggers_) {
      if (trigger.trigger().event == word && trigger.take_event(step))
        host_.triggered(trigger.trigger(), true, step);
    }
  }
}

void Steering::take_requests(const Step& step) {
  while (!asked_.empty()) {
    const ControlRequest request = std::move(asked_.front());
    asked_.pop_front();
    host_.controlled(request, control_.take(request), step);
  }
}

void Steering::expect(const Step&, const ScheduleActions& actions) {
  for (const TriggerState& trigger : triggers_) {
    for (const VariableId variable : {trigger.trigger().when, trigger.trigger().until}) {
      if (!variable.is_valid() || gone_.contains(variable) || is_open_) continue;
      for (const SampleAction& action : actions.of(plan_[variable].schedule))
        if (action.ends_record) expected_[{variable, action.mark.period, action.mark.record}] = false;
    }
  }
  is_passed_ = true;
  if (expected_.empty() && !is_ended_) end_step();
}

void Steering::take(const TriggerFrame& frame) {
  if (frame.is_last) {
    gone_.insert(frame.variable);
    std::erase_if(expected_, [&](const auto& one) { return one.first.variable == frame.variable; });
  } else {
    const auto found = expected_.find({frame.variable, frame.period, frame.record});
    if (found == expected_.end()) {
      if (is_open_ || gone_.contains(frame.variable)) return;
      throw TransportError("a server says of a trigger what nobody asked for");
    }
    expected_.erase(found);
    known_[frame.variable] = frame.holds;
  }
  if (expected_.empty() && !is_ended_ && is_passed_) end_step();
}

/// None where it is not known in this step; where nothing more comes of it, it does not hold.
std::optional<bool> Steering::known(VariableId variable) const {
  if (gone_.contains(variable)) return false;
  const auto found = known_.find(variable);
  return found == known_.end() ? std::nullopt : std::optional(found->second);
}

void Steering::end_step() {
  is_ended_ = true;
  for (TriggerState& trigger : triggers_) {
    const PlannedTrigger& planned = trigger.trigger();
    if (planned.when.is_valid() && trigger.take(step_, known(planned.when), known(planned.until)))
      host_.triggered(planned, trigger.is_on(), step_);
  }
  if (step_.is_checkpoint) keep();
}

void Steering::keep() {
  std::vector<StateEntry> entries;
  const auto add = [&](const char* kind, const std::string& key, const auto& state) {
    StateEntry entry{kind, key, {}, {}};
    Encoder out(entry.bytes);
    state.encode(out);
    entries.push_back(std::move(entry));
  };
  for (const TriggerState& trigger : triggers_)
    if (trigger.times() > 0) add(kTriggerKind, trigger.trigger().name, trigger);
  if (control_.has_any()) add(kControlKind, "", control_);
  kept_.keep(step_.index, std::move(entries), "");
}

}  // namespace pileus
