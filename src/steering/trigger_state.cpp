#include "steering/trigger_state.h"

#include <cmath>

#include "core/error.h"
#include "core/step.h"

namespace pileus {
namespace {

double tolerance_of(const Step& step) { return kBoundaryTolerance * step.length; }

}  // namespace

bool TriggerState::begin(std::int64_t step, double time_s, double tolerance_s) {
  if (is_on_ || (times_ > 0 && time_s - began_s_ < trigger_->at_most_every_s - tolerance_s)) return false;
  is_on_ = true;
  began_s_ = time_s;
  began_step_ = step;
  ++times_;
  return true;
}

bool TriggerState::has_lasted(double time_s, double tolerance_s) const {
  return time_s - began_s_ >= trigger_->lasts_s - tolerance_s;
}

bool TriggerState::take_event(const Step& next) {
  return begin(next.index, next.time - next.length, tolerance_of(next));
}

/// An event without a length is on for one step.
bool TriggerState::end_if_over(const Step& next) {
  if (!is_on_ || trigger_->event.empty()) return false;
  if (next.index <= began_step_ || !has_lasted(next.time - next.length, tolerance_of(next))) return false;
  is_on_ = false;
  return true;
}

bool TriggerState::take(const Step& step, std::optional<bool> when, std::optional<bool> until) {
  if (!is_on_) return when.value_or(false) && begin(step.index, step.time, tolerance_of(step));
  const bool is_over = trigger_->until.is_valid() ? until.value_or(false) : !when.value_or(true);
  if (!is_over || !has_lasted(step.time, tolerance_of(step))) return false;
  is_on_ = false;
  return true;
}

void TriggerState::encode(Encoder& out) const {
  out.put(is_on_);
  out.put(times_);
  out.put(began_s_);
  out.put(began_step_);
}

void TriggerState::restore(Decoder& in) {
  is_on_ = in.get<std::uint8_t>() != 0;
  times_ = in.get<std::int64_t>();
  began_s_ = in.get<double>();
  began_step_ = in.get<std::int64_t>();
  if (times_ < (is_on_ ? 1 : 0) || !std::isfinite(began_s_))
    throw TransportError("a trigger of a checkpoint has begun at no time");
}

}  // namespace pileus
