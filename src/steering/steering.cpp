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
    requests_before_ = control_.through();
  }
}

std::string Steering::wait_text() const {
  if (is_ready()) return "";
  std::string names;
  for (const auto& [condition, holds] : expected_)
    names += (names.empty() ? "" : ", ") + plan_[condition.variable].name;
  return "the clock waits for what triggers ask for in step " + std::to_string(step_.done()) + ": " + names;
}

DroppedAxes Steering::advance(const Step& step, const std::vector<std::string>& events) {
  step_ = step;
  is_ended_ = false;
  known_.clear();
  take_events(step, events);
  take_requests(step);
  DroppedAxes dropped;
  for (const PlannedFile& file : plan_.files) {
    if (!file.trigger || triggers_[*file.trigger].is_on()) continue;
    dropped.insert(dropped.end(), file.schedules.begin(), file.schedules.end());
  }
  control_.add_dropped(step, dropped);
  return dropped;
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
  for (const ControlRequest& request : std::exchange(asked_, {}))
    host_.controlled(request, control_.take(request), step);
}

void Steering::expect(const Step& step, const ScheduleActions& actions) {
  for (const TriggerState& trigger : triggers_) {
    for (const VariableId variable : {trigger.trigger().when, trigger.trigger().until}) {
      if (!variable.is_valid()) continue;
      for (const SampleAction& action : actions.of(plan_[variable].schedule))
        if (action.ends_record) expected_[{variable, action.mark.period, action.mark.record}] = false;
    }
  }
  if (step.index == step_.index && expected_.empty()) end_step();
}

void Steering::take(const TriggerFrame& frame) {
  const auto found = expected_.find({frame.variable, frame.period, frame.record});
  if (found == expected_.end()) {
    if (is_open_) return;
    throw TransportError("a server says of a trigger what nobody asked for");
  }
  expected_.erase(found);
  known_[frame.variable] = frame.holds;
  if (expected_.empty() && !is_ended_) end_step();
}

void Steering::end_step() {
  is_ended_ = true;
  for (TriggerState& trigger : triggers_) {
    const auto when = known_.find(trigger.trigger().when);
    if (when == known_.end()) continue;
    const auto until = known_.find(trigger.trigger().until);
    const std::optional<bool> ends = until == known_.end() ? std::nullopt : std::optional(until->second);
    if (trigger.take(step_, when->second, ends)) host_.triggered(trigger.trigger(), trigger.is_on(), step_);
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
