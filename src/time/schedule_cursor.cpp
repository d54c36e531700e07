#include "time/schedule_cursor.h"

#include <algorithm>

namespace pileus {

ScheduleCursor::ScheduleCursor(const Schedule& schedule, double write_frequency_s, double start_time_s)
    : manipulation_(schedule.manipulation),
      cadence_(schedule.cadence),
      output_(schedule.manipulation == Manipulation::none ? 1.0 : schedule.output_frequency_s),
      files_(write_frequency_s),
      start_s_(start_time_s),
      last_s_(start_time_s),
      closed_through_(files_.last_at_or_before(start_time_s, 0)) {}

const std::vector<SampleAction>& ScheduleCursor::advance(const Step& step) {
  actions_.clear();
  if (step.index % cadence_ != 0) return actions_;
  if (!has_begun_) {
    has_begun_ = true;
    start_s_ = last_s_ = output_.snapped(start_s_, step.length);
    next_ = output_.last_at_or_before(start_s_, step.length) + 1;
  }
  length_s_ = step.length;
  switch (manipulation_) {
    case Manipulation::none:
      end_record(0, step.time, step.time, step.time);
      break;
    case Manipulation::instantaneous: {
      const std::int64_t reached = output_.last_at_or_before(step.time, step.length);
      if (reached >= next_) end_record(0, step.time, step.time, step.time);
      next_ = std::max(next_, reached + 1);
      break;
    }
    case Manipulation::averaged:
      average(step);
      break;
  }
  closed_through_ = files_.last_at_or_before(step.time, step.length);
  return actions_;
}

void ScheduleCursor::average(const Step& step) {
  const double end = output_.snapped(step.time, step.length);
  while (output_.at(next_) <= end) {
    const double window_begin = std::max(start_s_, output_.at(next_ - 1));
    const double window_end = output_.at(next_);
    end_record(window_end - std::max(last_s_, window_begin), window_end, window_begin, window_end);
    ++next_;
  }
  const double rest = end - std::max(last_s_, output_.at(next_ - 1));
  if (rest > 0) actions_.push_back({rest, false, {}});
  last_s_ = end;
}

const std::vector<SampleAction>& ScheduleCursor::finish() {
  actions_.clear();
  if (manipulation_ != Manipulation::averaged || !has_begun_) return actions_;
  const double window_begin = std::max(start_s_, output_.at(next_ - 1));
  if (last_s_ > window_begin) end_record(0, last_s_, window_begin, last_s_);
  return actions_;
}

void ScheduleCursor::end_record(double weight_s, double time_s, double begin_s, double end_s) {
  const std::int64_t period = files_.first_at_or_after(time_s, length_s_);
  record_ = period == period_ ? record_ + 1 : 0;
  period_ = period;
  actions_.push_back({weight_s, true, {period, record_, time_s, begin_s, end_s}});
}

}  // namespace pileus
