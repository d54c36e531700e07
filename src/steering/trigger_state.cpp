#include "steering/trigger_state.h"

#include <cmath>

#include "core/error.h"
#include "core/step.h"

namespace pileus {
namespace {

double tolerance_of(const Step& step) { return kBoundaryTolerance * step.length; }

}  // namespace

bool TriggerState::begin(double time_s, double tolerance_s) {
  if (is_on_ || (times_ > 0 && time_s - began_s_ < trigger_->at_most_every_s - tolerance_s)) return false;
  is_on_ = true;
  began_s_ = time_s;
  ++times_;
  return true;
}

bool TriggerState::has_lasted(double time_s, double tolerance_s) const {
  return time_s - began_s_ >= trigger_->lasts_s - tolerance_s;
}

bool TriggerState::take_event(const Step& next) { return begin(next.time - next.length, tolerance_of(next)); }

/// An event without a length is on for one step.
bool TriggerState::end_if_over(const Step& next) {
  if (!is_on_ || trigger_->event.empty()) return false;
  const double begins_s = next.time - next.length;
  if (begins_s - began_s_ <= tolerance_of(next) || !has_lasted(begins_s, tolerance_of(next))) return false;
  is_on_ = false;
  return true;
}

bool TriggerState::take(const Step& step, bool when, std::optional<bool> until) {
  if (!is_on_) return when && begin(step.time, tolerance_of(step));
  const bool is_over = until ? *until : !when;
  if (!is_over || !has_lasted(step.time, tolerance_of(step))) return false;
  is_on_ = false;
  return true;
}

void TriggerState::encode(Encoder& out) const {
  out.put(is_on_);
  out.put(times_);
  out.put(began_s_);
}

void TriggerState::restore(Decoder& in) {
  is_on_ = in.get<std::uint8_t>() != 0;
  times_ = in.get<std::int64_t>();
  began_s_ = in.get<double>();
  if (times_ < (is_on_ ? 1 : 0) || !std::isfinite(began_s_))
    throw TransportError("a trigger of a checkpoint has begun at no time");
}

}  // namespace pileus
