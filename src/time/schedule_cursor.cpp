#include "time/schedule_cursor.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace pileus {

namespace {

constexpr double kLatest = 1e15;  // s; models have no later times
/// No model has so long steps: what ends more records was meant in other units.
constexpr std::int64_t kMostRecordsOfAStep = 100'000;

}  // namespace

ScheduleCursor::ScheduleCursor(const Schedule& schedule, const FilePeriods& files, double start_time_s)
    : manipulation_(schedule.manipulation),
      sampling_(schedule.need()),
      target_({schedule.need()}, start_time_s),
      output_(schedule.manipulation == Manipulation::none ? Frequency(1) : schedule.output_frequency),
      files_(files),
      start_s_(start_time_s),
      last_s_(start_time_s),
      closed_through_(files_.closed_before(start_time_s)) {}

const std::vector<SampleAction>& ScheduleCursor::advance(const Step& step) {
  actions_.clear();
  if (!sampling_.is_sampled(step)) return actions_;
  if (!has_begun_) begin(step);
  step_ = step;
  if (covers_window(manipulation_)) {
    cover(step);
  } else {
    target_.advance(step);
    if (manipulation_ == Manipulation::none || target_.is_met(0))
      end_record(0, step.time, step.time, step.length);
  }
  close_files(step);
  return actions_;
}

void ScheduleCursor::begin(const Step& first) {
  has_begun_ = true;
  start_s_ = last_s_ = output_.snapped(start_s_, first.length);
  next_ = output_.last_at_or_before(start_s_, first.length) + 1;
}

double ScheduleCursor::window_begin() const { return std::max(start_s_, output_.at(next_ - 1)); }

void ScheduleCursor::cover(const Step& step) {
  const double end = std::max(last_s_, output_.snapped(step.time, step.length));
  if (output_.at(next_ + kMostRecordsOfAStep - 1) <= end) {
    throw UsageError("step " + std::to_string(step.index) + ", " +
                     text(Frequency(end - std::max(last_s_, window_begin()))) +
                     " after what was before it, ends " + std::to_string(kMostRecordsOfAStep) +
                     " records or more of what is " + definition() + ": give it a larger output_frequency");
  }
  while (output_.at(next_) <= end) {
    const double window_end = output_.at(next_);
    // The end is a multiple, exact but for its rounding, so the step's length says nothing of its tolerance.
    end_record(window_end - std::max(last_s_, window_begin()), window_begin(), window_end,
               output_.rounded_length());
    ++next_;
  }
  const double rest = end - std::max(last_s_, window_begin());
  if (rest > 0) actions_.push_back({rest, false, {}});
  last_s_ = end;
}

const std::vector<SampleAction>& ScheduleCursor::finish() {
  actions_.clear();
  if (!covers_window(manipulation_) || !has_begun_) return actions_;
  if (last_s_ > window_begin()) end_record(0, window_begin(), last_s_, step_.length);
  return actions_;
}

std::string ScheduleCursor::definition() const {
  const std::string each = sampling_.frequency.is_given() || manipulation_ == Manipulation::none
                               ? ""
                               : " each " + text(output_.frequency());
  return std::string(declaration_of(manipulation_).name) + " " + text(sampling_) + each + ", a file " +
         files_.text();
}

void ScheduleCursor::encode(Encoder& out) const {
  out.put(std::string_view(definition()));
  out.put(target_.passed()[0]);
  out.put(start_s_);
  out.put(last_s_);
  out.put(step_.index);
  out.put(step_.time);
  out.put(step_.length);
  out.put(has_begun_);
  out.put(next_);
  out.put(period_);
  out.put(record_);
  out.put(closed_through_);
}

bool ScheduleCursor::restore(Decoder& in) {
  const bool is_same = in.get_text() == definition();
  ScheduleCursor restored = *this;
  restored.target_ = NeedTracker({sampling_}, std::vector<std::int64_t>{in.get<std::int64_t>()});
  restored.start_s_ = in.get<double>();
  restored.last_s_ = in.get<double>();
  restored.step_.index = in.get<std::int64_t>();
  restored.step_.time = in.get<double>();
  restored.step_.length = in.get<double>();
  restored.has_begun_ = in.get<std::uint8_t>() != 0;
  restored.next_ = in.get<std::int64_t>();
  restored.period_ = in.get<std::int64_t>();
  restored.record_ = in.get<std::int64_t>();
  restored.closed_through_ = in.get<std::int64_t>();
  for (double time : {restored.start_s_, restored.last_s_, restored.step_.time, restored.step_.length}) {
    if (!(std::abs(time) <= kLatest)) throw TransportError("an axis of a checkpoint stands at no time");
  }
  // Every boundary between here and there would be a record.
  const bool is_in_window = restored.has_begun_ && covers_window(manipulation_);
  const std::int64_t next =
      is_in_window ? output_.last_at_or_before(restored.last_s_, restored.step_.length) + 1 : restored.next_;
  if (restored.record_ < -1 || restored.next_ < next - 1 || restored.next_ > next + 1)
    throw TransportError("an axis of a checkpoint stands at no record");
  if (is_same) *this = std::move(restored);
  return is_same;
}

void ScheduleCursor::close_files(const Step& step) {
  std::int64_t closed = files_.full_after(step);
  // The run may end here, and with it the window in progress, which then belongs to the file of this time.
  const bool is_in_window = covers_window(manipulation_) && last_s_ > window_begin();
  if (is_in_window) closed = std::min(closed, files_.full_before(last_s_, step));
  closed_through_ = std::max(closed_through_, closed);
}

void ScheduleCursor::end_record(double weight_s, double begin_s, double end_s, double tolerated_length_s) {
  // A step may end on a file's boundary within its tolerance, and a far shorter one after it end there again.
  const std::int64_t period =
      std::max(files_.period_of(end_s, tolerated_length_s, step_), closed_through_ + 1);
  record_ = period == period_ ? record_ + 1 : 0;
  period_ = period;
  actions_.push_back({weight_s, true, {period, record_, end_s, begin_s, end_s}});
}

ScheduleCursor make_cursor(const Plan& plan, ScheduleId schedule, double start_time_s) {
  const PlannedFile& file = plan[plan[schedule].file];
  return {plan[schedule], FilePeriods(file.write_frequency, file.write_frequency_steps), start_time_s};
}

}  // namespace pileus
