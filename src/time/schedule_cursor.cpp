#include "time/schedule_cursor.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "plan/step_limits.h"

namespace pileus {

namespace {

constexpr double kLatest = 1e15;  // s; models have no later times
/// At both of its ends a step may end a window more than its length says.
constexpr std::int64_t kMoreWindows = 3;

/// The start of what counts, unless it is decided together with the model, which knows of no span.
double start_of(const Schedule& schedule, double start_time_s) {
  return schedule.manipulation.covers_window() ? std::max(start_time_s, schedule.span.from_s) : start_time_s;
}

}  // namespace

ScheduleCursor::ScheduleCursor(const Schedule& schedule, const FilePeriods& files, double start_time_s)
    : manipulation_(schedule.manipulation),
      sampling_(schedule.need()),
      records_(schedule.need_of_records()),
      target_({records_}, start_of(schedule, start_time_s)),
      stages_(schedule.stages),
      periods_(schedule),
      running_windows_(schedule.running_windows),
      span_(schedule.span),
      bins_(schedule.diurnal),
      files_(files),
      start_s_(start_of(schedule, start_time_s)),
      last_s_(start_s_),
      closed_through_(files_.closed_before(start_time_s)),
      kept_(schedule.lookback) {}

const std::vector<SampleAction>& ScheduleCursor::advance(const Step& step, bool is_dropped) {
  actions_.clear();
  dropped_of_.reset();
  if (!sampling_.is_sampled(step)) return actions_;
  if (!has_begun_) begin(step);
  const double previous_s = step_.time;
  const bool is_sliver = is_held_ && periods_.first().snapped(step.time, step.length) <= last_s_;
  if (is_held_ && !is_sliver) end_held_record(false, 0);
  step_ = step;
  if (manipulation_.covers_window()) {
    cover(step, previous_s);
  } else {
    take_instant(step, is_dropped);
  }
  close_files(step);
  return actions_;
}

bool ScheduleCursor::is_in_span(double time_s, double tolerated_length_s) const {
  const double tolerance_s = kBoundaryTolerance * tolerated_length_s;
  return time_s >= span_.from_s - tolerance_s && time_s <= span_.until_s + tolerance_s;
}

void ScheduleCursor::take_instant(const Step& step, bool is_dropped) {
  const Boundaries& output = periods_.last();
  target_.advance(step);
  // The state at the start lies in the first file that gets anything, so those before it are closed.
  if (target_.is_met(0) && step.is_initial()) close_files(step);
  const double tolerated_length_s = step.is_initial() ? output.start_length() : step.length;
  if (!target_.is_met(0) || !is_in_span(step.time, tolerated_length_s)) return;
  const double target_s = manipulation_->record_of == RecordOf::output_time
                              ? output.snapped(step.time, tolerated_length_s)
                              : step.time;
  const std::int64_t period =
      std::max(files_.period_of(target_s, tolerated_length_s, step_), closed_through_ + 1);
  for (const KeptInstant& one : kept_.forget(step, is_dropped)) {
    act_on_kept(one);
    actions_.back().drops_window = true;
  }
  if (is_dropped && !kept_.are_wanted()) {
    dropped_of_ = period;
    return;
  }
  // The final step may end on a target that the one before it took, from just before it.
  const bool is_taken = (record_ >= 0 || !kept_.are_none()) && target_s <= last_s_;
  last_s_ = is_taken ? std::nextafter(last_s_, kLatest) : target_s;
  if (is_dropped) {
    act(0, last_s_);
    actions_.back().window = kept_.keep(step.index, last_s_, period);
    return;
  }
  for (const KeptInstant& one : kept_.release()) {
    act_on_kept(one);
    mark_record(one.period, {0, 0, one.time_s, one.time_s, one.time_s});
  }
  act(0, last_s_);
  mark_record(period, {0, 0, last_s_, last_s_, last_s_});
}

void ScheduleCursor::act_on_kept(const KeptInstant& one) {
  act(0, one.time_s, false);
  actions_.back().window = one.window;
}

void ScheduleCursor::begin(const Step& first) {
  has_begun_ = true;
  start_s_ = last_s_ = periods_.first().snapped(start_s_, first.length);
  next_ = periods_.first().last_at_or_before(start_s_, first.length) + 1;
}

bool ScheduleCursor::is_in_progress(std::size_t stage) const {
  return last_s_ >
         (records_.is_from_last ? start_s_ : std::max(start_s_, periods_.of_first_at(stage, next_ - 1)));
}

double ScheduleCursor::window_begin(std::size_t stage) const {
  return records_.is_from_last ? start_s_ : std::max(start_s_, periods_.at(stage, next_ - 1));
}

/// Where the sample's time ends, as far as it counts.
double ScheduleCursor::end_of(const Step& step) const {
  double end = periods_.first().snapped(step.time, step.length);
  if (has_samples_in_bins()) end = bins_.snapped(end, kBoundaryTolerance * step.length);
  for (const double edge : {span_.from_s, span_.until_s})
    if (std::abs(end - edge) <= kBoundaryTolerance * step.length) end = edge;
  return std::min(std::max(last_s_, end), span_.until_s);
}

void ScheduleCursor::act(double weight_s, double end_s, bool is_of_sample, std::size_t stage) {
  SampleAction& action = actions_.emplace_back();
  action.weight_s = weight_s;
  action.end_s = end_s;
  action.is_of_sample = is_of_sample;
  action.stage = static_cast<std::uint8_t>(stage);
}

/// The sample counts between two times, with `weight_s` in all.
void ScheduleCursor::count(double begin_s, double end_s, double weight_s) {
  if (!has_samples_in_bins()) return act(weight_s, end_s);
  for (const DayBins::Share& share : bins_.shares(begin_s, end_s)) {
    act(share.weight_s, end_s);
    actions_.back().window = static_cast<std::uint16_t>(share.bin);
  }
}

/// In the stage behind `stage` counts what that has had from a time on.
void ScheduleCursor::pass_on(std::size_t stage, double begin_s, double end_s) {
  act(end_s - begin_s, end_s, false, stage + 1);
  const bool is_in_bin = !bins_.are_none() && stage + 2 == periods_.count();
  if (is_in_bin) actions_.back().window = static_cast<std::uint16_t>(bins_.at((begin_s + end_s) / 2));
}

/// A window ends with a step, and no step is divided.
void ScheduleCursor::cover_from_last(const Step& step) {
  const double end = end_of(step);
  act(end - last_s_, end);
  last_s_ = end;
  target_.advance(step);
  if (!target_.is_met(0) && !is_over()) return;
  end_record(start_s_, end, step.length);
  start_s_ = end;
}

void ScheduleCursor::cover(const Step& step, double previous_s) {
  if (is_over()) return;
  if (records_.is_from_last) return cover_from_last(step);
  if (is_held_) return cover_sliver(step, previous_s);
  const Boundaries& windows = periods_.first();
  const double end = end_of(step);
  require_few_records(step, end);
  while (windows.at(next_) <= end) {
    const double window_end = windows.at(next_);
    const double begin = std::max(last_s_, window_begin(0));
    is_held_ = window_end == end && step.time < end;
    if (is_held_) {
      count(begin, end, window_end - begin);
      last_s_ = end;
      return;
    }
    end_window(begin, window_end - begin, true);
  }
  const double begin = std::max(last_s_, window_begin(0));
  if (end > begin) count(begin, end, end - begin);
  last_s_ = end;
  if (is_over()) end_all();
}

/// A step far shorter than the one before it, which ends on the same boundary.
void ScheduleCursor::cover_sliver(const Step& step, double previous_s) {
  const double weight_s = step.time - previous_s;
  if (step.time < last_s_) {
    count(last_s_ - weight_s, last_s_, weight_s);
  } else {
    end_held_record(true, weight_s);
  }
}

void ScheduleCursor::end_held_record(bool is_of_sample, double weight_s) {
  is_held_ = false;
  end_window(last_s_ - weight_s, weight_s, is_of_sample);
  if (is_over()) end_all();
}

/// The window of the first stage ends on its boundary, and with it those of other stages that end there.
void ScheduleCursor::end_window(double begin_s, double weight_s, bool is_of_sample) {
  const double end_s = periods_.first().at(next_);
  if (!has_samples_in_bins()) {
    act(weight_s, end_s, is_of_sample);
  } else if (is_of_sample) {
    count(begin_s, end_s, weight_s);
  }
  const std::size_t last = periods_.count() - 1;
  for (std::size_t stage = 0; stage < last && periods_.ends(stage, next_); ++stage)
    pass_on(stage, window_begin(stage), periods_.at(stage, next_));
  if (periods_.ends(last, next_)) bins_.are_none() ? end_output() : end_composite(periods_.at(last, next_));
  ++next_;
}

void ScheduleCursor::end_output() {
  const std::size_t last = periods_.count() - 1;
  const Boundaries& output = periods_.last();
  // The end is a multiple, exact but for its rounding, so the step's length says nothing of its tolerance.
  const double tolerated_length_s = output.rounded_length();
  const std::int64_t end = periods_.passed(last, next_);
  if (running_windows_ == 1) return end_record(record_begin(), output.at(end), tolerated_length_s);
  SampleAction& action = actions_.back();
  const std::int64_t window = end % running_windows_;
  action.window = static_cast<std::uint16_t>(window < 0 ? window + running_windows_ : window);
  const std::int64_t begin = end - running_windows_;
  action.drops_window = output.first_at_or_after(start_s_, tolerated_length_s) > begin;
  if (!action.drops_window) end_record(output.at(begin), output.at(end), tolerated_length_s);
}

/// The records of the parts of the day that the window has, which all belong to the file of its end.
void ScheduleCursor::end_composite(double end_s) {
  const std::int64_t period = files_.period_of(end_s, periods_.last().rounded_length(), step_);
  for (const DayBins::Part& part : bins_.parts(record_begin(), end_s)) {
    act(0, end_s, false);
    actions_.back().window = static_cast<std::uint16_t>(part.bin);
    mark_record(period, {0, 0, part.time_s, part.begin_s, part.end_s});
  }
}

void ScheduleCursor::require_few_records(const Step& step, double end_s) const {
  const std::int64_t each = std::max<std::int64_t>(bins_.count(), 1);
  const std::int64_t windows =
      kMostRecordsOfAStep / each + kMoreWindows;  // more than pileus_begin lets through
  if (periods_.first().at(next_ + windows - 1) > end_s) return;
  throw UsageError("step " + std::to_string(step.index) + ", " +
                   text(Frequency(end_s - std::max(last_s_, window_begin(0)))) +
                   " after what was before it, ends " + std::to_string(windows * each) +
                   " records or more of what is " + definition() + ": give it a larger output_frequency");
}

const std::vector<SampleAction>& ScheduleCursor::finish() {
  actions_.clear();
  if (!manipulation_.covers_window() || !has_begun_ || is_over()) return actions_;
  if (is_held_) end_held_record(false, 0);
  if (!is_over()) end_all();
  return actions_;
}

/// Ends the windows in progress, with their true end. A running window gives no record then.
void ScheduleCursor::end_all() {
  for (std::size_t stage = 0; stage < periods_.count(); ++stage) {
    const double stands_for_s = last_s_ - window_begin(stage);
    if (stands_for_s <= 0 || !is_in_progress(stage)) continue;
    if (stage + 1 < periods_.count()) {
      pass_on(stage, window_begin(stage), last_s_);
    } else if (!bins_.are_none()) {
      end_composite(last_s_);
    } else if (running_windows_ == 1) {
      act(0, last_s_, false);
      end_record(window_begin(stage), last_s_, step_.length);
    }
  }
}

std::string ScheduleCursor::definition() const {
  const Frequency& output = periods_.last().frequency();
  const std::string each = sampling_.frequency.is_given() || manipulation_->record_of == RecordOf::each_sample
                               ? ""
                               : " each " + text(output);
  Need sampling = sampling_;
  sampling.skips_initial = false;  // as the manipulation says
  const std::string how = records_.is_from_last && !each.empty() ? ", counted from the last" : "";
  const std::string over =
      running_windows_ > 1 ? ", over the last " + std::to_string(running_windows_) + " of these" : "";
  return text(stages_) + manipulation_->name + " " + text(sampling) + each + how + over +
         text(bins_.diurnal()) + text(span_) + text(kept_.lookback()) + ", a file " + files_.text();
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
  out.put(is_held_);
  out.put(next_);
  out.put(period_);
  out.put(record_);
  out.put(closed_through_);
  if (kept_.are_wanted()) kept_.encode(out);
}

bool ScheduleCursor::restore(Decoder& in) {
  const bool is_same = in.get_text() == definition();
  ScheduleCursor restored = *this;
  const auto passed = in.get<std::int64_t>();
  restored.target_ = NeedTracker({records_}, std::vector<std::int64_t>{passed});
  restored.start_s_ = in.get<double>();
  restored.last_s_ = in.get<double>();
  restored.step_.index = in.get<std::int64_t>();
  restored.step_.time = in.get<double>();
  restored.step_.length = in.get<double>();
  restored.has_begun_ = in.get<std::uint8_t>() != 0;
  restored.is_held_ = in.get<std::uint8_t>() != 0;
  restored.next_ = in.get<std::int64_t>();
  restored.period_ = in.get<std::int64_t>();
  restored.record_ = in.get<std::int64_t>();
  restored.closed_through_ = in.get<std::int64_t>();
  for (double time : {restored.start_s_, restored.last_s_, restored.step_.time, restored.step_.length}) {
    if (!(std::abs(time) <= kLatest)) throw TransportError("an axis of a checkpoint stands at no time");
  }
  // Every boundary between here and there would be a record.
  if (is_same && !NeedTracker::is_state(records_, passed))
    throw TransportError("an axis of a checkpoint counts from no time");
  const bool is_in_window = restored.has_begun_ && manipulation_.covers_window() && !records_.is_from_last;
  const std::int64_t next =
      is_in_window ? periods_.first().last_at_or_before(restored.last_s_, restored.step_.length) + 1
                   : restored.next_;
  const bool is_held_wrongly =
      restored.is_held_ && !(is_in_window && restored.last_s_ == periods_.first().at(restored.next_));
  if (is_held_wrongly || restored.record_ < -1 || restored.next_ < next - 1 || restored.next_ > next + 1)
    throw TransportError("an axis of a checkpoint stands at no record");
  if (!is_same) return false;
  if (kept_.are_wanted()) restored.kept_.restore(in);
  *this = std::move(restored);
  return true;
}

void ScheduleCursor::close_files(const Step& step) {
  std::int64_t closed = files_.full_after(step);
  // The run may end here, and with it the window in progress, which then belongs to the file of this time.
  const bool is_in_window =
      manipulation_.covers_window() && !is_over() && is_in_progress(periods_.count() - 1);
  // A record that is held has its boundary for its end, which last_s_ is then.
  if (is_in_window) closed = std::min(closed, files_.full_before(last_s_, step));
  // This step may be the last, which the model says afterwards: it is a record then.
  const bool may_be_record = sampling_.takes_last && !target_.is_met(0);
  if (may_be_record) closed = std::min(closed, files_.full_before(step.time, step));
  if (!kept_.are_none()) {
    KeptInstants young = kept_;  // what is too old is forgotten with the next target, which may never come
    young.forget(step, false);
    if (!young.are_none()) closed = std::min(closed, young.first_period() - 1);
  }
  closed_through_ = std::max(closed_through_, closed);
}

void ScheduleCursor::end_record(double begin_s, double end_s, double tolerated_length_s) {
  mark_record(files_.period_of(end_s, tolerated_length_s, step_), {0, 0, end_s, begin_s, end_s});
}

/// The last action ends a record.
void ScheduleCursor::mark_record(std::int64_t period, const RecordMark& mark) {
  // A step may end on a file's boundary within its tolerance, and a far shorter one after it end there again.
  period = std::max(period, closed_through_ + 1);
  record_ = period == period_ ? record_ + 1 : 0;
  period_ = period;
  actions_.back().ends_record = true;
  actions_.back().end_s = mark.end_s;
  actions_.back().mark = {period, record_, mark.time_s, mark.begin_s, mark.end_s};
}

ScheduleCursor make_cursor(const Plan& plan, ScheduleId schedule, double start_time_s) {
  const PlannedFile& file = plan[plan[schedule].file];
  return {plan[schedule], FilePeriods(file.write_frequency, file.write_frequency_steps), start_time_s};
}

}  // namespace pileus
