#pragma once
// The time axes of a plan together, advanced once for each step of the run's clock. What a step means to all
// of them is held in one piece, so that every stream of samples reads the same answer.

#include <cstdint>
#include <span>
#include <vector>

#include "dropped/dropped_axes.h"
#include "time/schedule_cursor.h"

namespace pileus {

class ContinuedWindows;

/// The things that are to be done with the samples of one step, by schedule and in order.
class ScheduleActions {
 public:
  std::span<const SampleAction> of(ScheduleId schedule) const {
    if (ends_.empty()) return {};
    const std::size_t begin = schedule.index == 0 ? 0 : ends_[schedule.index - 1];
    return std::span(actions_).subspan(begin, ends_[schedule.index] - begin);
  }
  bool ends_record(ScheduleId schedule) const;

 private:
  friend class ScheduleCursors;
  std::vector<SampleAction> actions_;
  std::vector<std::uint32_t> ends_;  ///< by schedule, in `actions_`; empty where there is no action at all
};

class ScheduleCursors {
 public:
  /// `continued`: where the axes go on; null at the start of a run. REQUIRES: the plan outlives it.
  explicit ScheduleCursors(const Plan& plan, const ContinuedWindows* continued = nullptr);

  /// `dropped`: the axes whose record is left out.
  /// Order: every step of the run. Errors: UsageError where one step would end a hundred thousand records.
  ScheduleActions advance(const Step& step, double start_time_s, const DroppedAxes& dropped = {});
  /// The end of the run: the windows in progress, with their true end.
  ScheduleActions finish();

  /// REQUIRES: a step was shown, or the run continues.
  const ScheduleCursor& operator[](ScheduleId schedule) const { return cursors_[schedule.index]; }

 private:
  template <class ActionsOf>
  ScheduleActions collect(ActionsOf actions_of);

  const Plan& plan_;
  std::vector<ScheduleCursor> cursors_;  ///< by schedule; none before the first step
};

}  // namespace pileus
