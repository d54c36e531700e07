#pragma once
// A timeline says which records a file gets and when it is complete, in the order of model time, from the
// run's clock alone. Its owner follows it to lay the file out, so that nothing depends on who delivers first
// (architecture D6, D13).

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dropped/dropped_axes.h"
#include "time/schedule_cursor.h"

namespace pileus {

struct FileEvent {
  bool closes =
      false;  ///< no further record will belong to the file of `mark.period`; otherwise: a record begins
  std::uint32_t axis = 0;  ///< index into PlannedFile::schedules
  RecordMark mark;         ///< only the period where `closes`
  DroppedRecords dropped;  ///< of the file, where it `closes`
};

class FileTimeline {
 public:
  FileTimeline(const Plan& plan, FileId file, double start_time_s);

  /// Events that the step brings, in order; `dropped`: the axes whose record is left out. REQUIRES: every
  /// step of the run is shown, in order.
  std::vector<FileEvent> advance(const Step& step, const DroppedAxes& dropped = {});
  std::vector<FileEvent> finish();
  /// The last file period that no later record can belong to.
  std::int64_t closed_through() const { return closed_through_; }

  /// The file periods that have records and may get more, ascending.
  const std::vector<std::int64_t>& open_periods() const { return open_; }
  /// By axis: how many records it has given the file of this period, as long as more may come.
  std::vector<std::int64_t> records_in(std::int64_t period) const;

  /// Writes where it stands, for a run that continues from here.
  void encode(Encoder& out) const;
  /// Goes on from there. Axes are known by the names of their dimensions: those that are defined otherwise
  /// now stay as they are, and are named in the result, as are those that there were and are no more.
  /// Errors: TransportError when the bytes are not those of encode.
  std::vector<std::string> restore(Decoder& in);

 private:
  void count_dropped(std::int64_t period, WhyDropped why);
  std::vector<FileEvent> sorted_with_closes(std::vector<FileEvent> records, std::int64_t closed_through);

  std::vector<std::string> dimensions_;  ///< by axis
  std::vector<ScheduleId> schedules_;    ///< likewise
  std::vector<ScheduleCursor> cursors_;  ///< likewise
  std::int64_t closed_through_ = INT64_MIN;
  std::vector<std::int64_t> open_;                  ///< file periods that have records, ascending
  std::map<std::int64_t, DroppedRecords> dropped_;  ///< by file period, of those that may get more
};

}  // namespace pileus
