#include "time/schedule_cursors.h"

#include <algorithm>

#include "time/continued_windows.h"

namespace pileus {

bool ScheduleActions::ends_record(ScheduleId schedule) const {
  return std::ranges::any_of(of(schedule), &SampleAction::ends_record);
}

ScheduleCursors::ScheduleCursors(const Plan& plan, const ContinuedWindows* continued) : plan_(plan) {
  if (continued == nullptr) return;
  for (std::size_t s = 0; s < plan.schedules.size(); ++s)
    cursors_.push_back(continued->cursor(ScheduleId(s)));
}

ScheduleActions ScheduleCursors::advance(const Step& step, double start_time_s, const DroppedAxes& dropped) {
  for (std::size_t s = cursors_.size(); s < plan_.schedules.size(); ++s)
    cursors_.push_back(make_cursor(plan_, ScheduleId(s), start_time_s));
  return collect([&](ScheduleCursor & cursor) -> const auto& {
    const ScheduleId axis(static_cast<std::size_t>(&cursor - cursors_.data()));
    return cursor.advance(step, dropped.has(axis));
  });
}

ScheduleActions ScheduleCursors::finish() {
  return collect([](ScheduleCursor & cursor) -> const auto& { return cursor.finish(); });
}

template <class ActionsOf>
ScheduleActions ScheduleCursors::collect(ActionsOf actions_of) {
  ScheduleActions all;
  for (std::size_t s = 0; s < cursors_.size(); ++s) {
    const std::vector<SampleAction>& actions = actions_of(cursors_[s]);
    if (actions.empty() && all.ends_.empty()) continue;
    if (all.ends_.empty()) all.ends_.assign(cursors_.size(), 0);
    all.actions_.insert(all.actions_.end(), actions.begin(), actions.end());
    all.ends_[s] = static_cast<std::uint32_t>(all.actions_.size());
  }
  return all;
}

}  // namespace pileus
