#include "client/checkpoint_due.h"

namespace pileus {

void CheckpointDue::begin(const Step& first) {
  if (!last_step_) last_step_ = first.is_initial() ? first.index : first.index - 1;
  if (last_boundary_ || !reasons_.frequency.is_given()) return;
  last_boundary_ = NeedTracker::passed_at({1, reasons_.frequency}, first.time - first.length);
}

Due CheckpointDue::ask(const Step& step, Clock::time_point now, std::int64_t signals) {
  begin(step);
  seen_signals_ = signals;
  if (signals > answered_signals_) return Due::before_the_end;
  return is_due(step, now) ? Due::yes : Due::no;
}

bool CheckpointDue::is_due(const Step& step, Clock::time_point now) const {
  if (step.is_initial()) return false;  // nothing has been computed yet that could be lost
  if (is_wanted_) return true;
  if (reasons_.steps > 0 && step.index / reasons_.steps > *last_step_ / reasons_.steps) return true;
  if (reasons_.frequency.is_given() &&
      Boundaries(reasons_.frequency).last_at_or_before(step.time, step.length) > *last_boundary_)
    return true;
  return reasons_.wall_time_s > 0 && now - last_wall_ >= std::chrono::duration<double>(reasons_.wall_time_s);
}

void CheckpointDue::note(const Step& step, Clock::time_point now) {
  begin(step);
  if (!step.is_checkpoint) return;
  last_step_ = step.index;
  last_wall_ = now;
  answered_signals_ = seen_signals_;
  is_wanted_ = false;
  if (reasons_.frequency.is_given())
    last_boundary_ = Boundaries(reasons_.frequency).last_at_or_before(step.time, step.length);
}

}  // namespace pileus
