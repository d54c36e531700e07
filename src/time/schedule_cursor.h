#pragma once
// A cursor says what each sample means to one time axis of one file: with what weight it counts, which
// records it ends, and in which file they belong (architecture D11). Pure arithmetic on steps: every server
// that is shown the same samples decides alike. Knows nothing of values.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/encoder.h"
#include "plan/plan.h"
#include "time/day_bins.h"
#include "time/file_periods.h"
#include "time/kept_instants.h"
#include "time/stage_periods.h"

namespace pileus {

/// The place of one record: file `period` of its output file holds the times after boundary period - 1 of the
/// file's write frequency and up to boundary `period`; `record` counts from 0 in that file.
struct RecordMark {
  std::int64_t period = 0;
  std::int64_t record = 0;
  double time_s = 0;
  double begin_s = 0, end_s = 0;  ///< what the record covers; both equal to time_s for a point in time
  friend bool operator==(const RecordMark&, const RecordMark&) = default;
};

/// One thing to do with a sample: let it count with `weight_s`, then, if `ends_record`, emit the record.
struct SampleAction {
  double weight_s = 0;  ///< s of the window that the sample stands for; 0: it does not count
  bool ends_record = false;
  RecordMark mark;
  bool is_of_sample = true;  ///< false: a record of the samples before this one
  double end_s = 0;          ///< where what the sample stands for in the window ends
  /// Of a chain: in place of the sample the record of the stage before counts, whose window ends.
  std::uint8_t stage = 0;
  /// Of running windows: which one ends; of a composite: which part of the day; of instants that wait for a
  /// trigger: where the sample is kept.
  std::uint16_t window = 0;
  bool drops_window = false;  ///< the one that ends gives no record, as it is not whole, or nobody wants it
  friend bool operator==(const SampleAction&, const SampleAction&) = default;
};

class ScheduleCursor {
 public:
  /// REQUIRES: the schedule's frequency is given unless its manipulation is none.
  ScheduleCursor(const Schedule& schedule, const FilePeriods& files, double start_time_s);
  ScheduleCursor(const Schedule& schedule, const Frequency& write_frequency, double start_time_s)
      : ScheduleCursor(schedule, FilePeriods(write_frequency, 0), start_time_s) {}

  /// The actions for the sample of `step`, in order. Steps that are no multiple of the schedule's cadence
  /// give none. `is_dropped`: a record that the step would give is left out, or waits for the file's trigger;
  /// the target counts as reached, and records are numbered without it. REQUIRES: no window is dropped.
  /// Order: samples come by increasing step. Valid until the next call.
  /// Errors: UsageError where one step would end a hundred thousand records.
  const std::vector<SampleAction>& advance(const Step& step, bool is_dropped = false);
  /// The period of the file in which the last step's record would be that was left out.
  const std::optional<std::int64_t>& dropped_of() const { return dropped_of_; }
  /// The end of the run: the window in progress, with its true end.
  const std::vector<SampleAction>& finish();

  /// The last file period that no later record of this axis can belong to.
  std::int64_t closed_through() const { return closed_through_; }

  /// How many records it has given the file of this period; 0 unless that is the last one that has any.
  std::int64_t records_in(std::int64_t period) const { return period == period_ ? record_ + 1 : 0; }

  /// A text of what it was made from: "averaged every step each 10 s, a file every 30 s".
  std::string definition() const;
  /// Writes where it stands, for a run that continues from here.
  void encode(Encoder& out) const;
  /// Goes on from there; false, and nothing changes, where those were the steps of another definition.
  /// Errors: TransportError when the bytes are not those of encode.
  bool restore(Decoder& in);

 private:
  void begin(const Step& first);
  double end_of(const Step& step) const;
  void take_instant(const Step& step, bool is_dropped);
  void act_on_kept(const KeptInstant& one);
  void cover(const Step& step, double previous_s);
  void cover_from_last(const Step& step);
  void cover_sliver(const Step& step, double previous_s);
  void end_held_record(bool is_of_sample, double weight_s);
  void act(double weight_s, double end_s, bool is_of_sample = true, std::size_t stage = 0);
  void pass_on(std::size_t stage, double begin_s, double end_s);
  /// Of a chain only the last stage is in parts of the day.
  bool has_samples_in_bins() const { return !bins_.are_none() && stages_.empty(); }
  void count(double begin_s, double end_s, double weight_s);
  void end_window(double begin_s, double weight_s, bool is_of_sample);
  void end_output();
  void end_composite(double end_s);
  void end_all();
  bool is_over() const { return !is_held_ && last_s_ >= span_.until_s; }
  void require_few_records(const Step& step, double end_s) const;
  void close_files(const Step& step);
  double window_begin(std::size_t stage) const;
  /// Whether something is in its window since that began.
  bool is_in_progress(std::size_t stage) const;
  double record_begin() const { return window_begin(periods_.count() - 1); }
  bool is_in_span(double time_s, double tolerated_length_s) const;
  void end_record(double begin_s, double end_s, double tolerated_length_s);
  void mark_record(std::int64_t period, const RecordMark& mark);

  Manipulation manipulation_;
  Need sampling_;       ///< of which only the steps are asked
  Need records_;        ///< with which steps records end
  NeedTracker target_;  ///< of instants: decides as for the model, so that no record lacks its value
  std::vector<Stage> stages_;
  StagePeriods periods_;
  std::int64_t running_windows_;
  Span span_;
  DayBins bins_;
  FilePeriods files_;
  double start_s_;  ///< of the run, or of the span; where records count from the last one, of the window
  double last_s_;   ///< end of the last sample, on its boundary if it is near one; of instants: the last one
  Step step_;       ///< the last one: the tolerance is a part of its length
  bool has_begun_ = false;
  /// The last sample ended just before the boundary `next_`, on which it is. The record waits for the next
  /// sample, which may be a sliver of a step that ends there too.
  bool is_held_ = false;
  std::int64_t next_ = 0;  ///< the boundary that ends the current window of the first stage
  std::int64_t period_ = 0;
  std::int64_t record_ = -1;  ///< the last one in file `period_`
  std::int64_t closed_through_;
  KeptInstants kept_;
  std::vector<SampleAction> actions_;
  std::optional<std::int64_t> dropped_of_;
};

/// The cursor of one axis of the plan.
ScheduleCursor make_cursor(const Plan& plan, ScheduleId schedule, double start_time_s);

}  // namespace pileus
