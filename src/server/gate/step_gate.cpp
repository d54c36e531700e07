#include "server/gate/step_gate.h"

#include <utility>

namespace pileus {

StepGate::StepGate(const Plan& plan, const RunMemory& memory)
    : plan_(plan), costs_(plan), parcels_(plan), account_(plan, memory), choice_(plan) {}

void StepGate::ask(const Step& step, double start_time_s) {
  if (!tracker_) tracker_.emplace(plan_.tracker(start_time_s));
  if (std::exchange(last_asked_, step.index) != step.index) tracker_->advance(step);
  step_ = step;
  is_met_ = met_needs(plan_, *tracker_);
}

/// `is_met`: what the model hands over; `is_made`: what of it is used.
MemoryAccount::Cost StepGate::cost_of(const std::vector<bool>& is_met, const std::vector<bool>& is_made) {
  return {costs_.of(is_made), parcels_.of(is_met)};
}

/// A step without its records is let in beside what is there: they are left out so that it need not wait.
bool StepGate::lets_through(const DroppedAxes& left_out) {
  const std::vector<bool> is_made = without(plan_, is_met_, left_out);
  const MemoryAccount::Cost whole = cost_of(is_met_, is_made);
  const std::optional<ServerRank> full = is_open_ ? std::nullopt : account_.full_with(whole);
  if (full && !overloaded_) overloaded_ = full;
  DroppedAxes dropped = choice_.dropped(step_, is_made, full.has_value());
  MemoryAccount::Cost cost = dropped.empty() ? whole : cost_of(is_met_, without(plan_, is_made, dropped));
  const bool fits = is_open_ || account_.fits(cost, was_refused_ && dropped.empty());
  was_hindered_ = was_hindered_ || full || !fits;
  was_refused_ = !fits;
  if (!fits) return false;
  account_.add(std::move(cost));  // a failure leaves the step where it is
  choice_.pass(is_made, dropped, full.has_value());
  dropped_ = std::move(dropped);
  if (!std::exchange(was_hindered_, false) && account_.has_caught_up()) overloaded_.reset();
  return true;
}

}  // namespace pileus
