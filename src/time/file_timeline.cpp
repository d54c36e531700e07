#include "time/file_timeline.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace pileus {

FileTimeline::FileTimeline(const Plan& plan, FileId file, double start_time_s) {
  for (ScheduleId schedule : plan[file].schedules) {
    cursors_.push_back(make_cursor(plan, schedule, start_time_s));
    dimensions_.push_back(plan[schedule].dimension);
    schedules_.push_back(schedule);
  }
}

std::vector<FileEvent> FileTimeline::advance(const Step& step, const DroppedAxes& dropped) {
  std::vector<FileEvent> records;
  std::int64_t closed_through = std::numeric_limits<std::int64_t>::max();
  for (std::uint32_t axis = 0; axis < cursors_.size(); ++axis) {
    const std::optional<WhyDropped> why = dropped.why(schedules_[axis]);
    for (const SampleAction& action : cursors_[axis].advance(step, why.has_value())) {
      if (action.ends_record) records.push_back({false, axis, action.mark, {}});
    }
    if (why && cursors_[axis].dropped_of()) count_dropped(*cursors_[axis].dropped_of(), *why);
    closed_through = std::min(closed_through, cursors_[axis].closed_through());
  }
  return sorted_with_closes(std::move(records), closed_through);
}

/// While a trigger is off nobody asked for records.
void FileTimeline::count_dropped(std::int64_t period, WhyDropped why) {
  if (why == WhyDropped::trigger) return;
  DroppedRecords& records = dropped_[period];
  ++(why == WhyDropped::asked ? records.asked : records.for_memory);
}

std::vector<FileEvent> FileTimeline::finish() {
  std::vector<FileEvent> records;
  for (std::uint32_t axis = 0; axis < cursors_.size(); ++axis) {
    for (const SampleAction& action : cursors_[axis].finish())
      if (action.ends_record) records.push_back({false, axis, action.mark, {}});
  }
  return sorted_with_closes(std::move(records), std::numeric_limits<std::int64_t>::max());
}

std::vector<std::int64_t> FileTimeline::records_in(std::int64_t period) const {
  std::vector<std::int64_t> records;
  for (const ScheduleCursor& cursor : cursors_) records.push_back(cursor.records_in(period));
  return records;
}

void FileTimeline::encode(Encoder& out) const {
  out.put(static_cast<std::uint64_t>(cursors_.size()));
  for (std::size_t axis = 0; axis < cursors_.size(); ++axis) {
    out.put(std::string_view(dimensions_[axis]));
    Bytes bytes;
    Encoder cursor(bytes);
    cursors_[axis].encode(cursor);
    out.put(static_cast<std::uint64_t>(bytes.size()));
    out.put_raw(bytes);
  }
  out.put(open_);
  if (dropped_.empty()) return;
  for (const auto& [period, records] : dropped_) {
    out.put(period);
    out.put(records.asked);
    out.put(records.for_memory);
  }
}

std::vector<std::string> FileTimeline::restore(Decoder& in) {
  std::vector<std::string> others = dimensions_;
  for (std::size_t i = in.get_length(2 * sizeof(std::uint64_t)); i > 0; --i) {
    const std::string dimension = in.get_text();
    Decoder cursor(in.get_raw(in.get_length(1)));
    const auto found = std::ranges::find(dimensions_, dimension);
    const auto axis = static_cast<std::size_t>(found - dimensions_.begin());
    if (found != dimensions_.end() && cursors_[axis].restore(cursor)) {
      std::erase(others, dimension);
    } else if (found == dimensions_.end()) {
      others.push_back(dimension);
    }
  }
  open_ = in.get_vector<std::int64_t>();
  if (!std::ranges::is_sorted(open_)) throw TransportError("a file's timeline has its files in no order");
  while (!in.is_at_end()) {
    const auto period = in.get<std::int64_t>();
    DroppedRecords& records = dropped_[period];
    records.asked = in.get<std::int64_t>();
    records.for_memory = in.get<std::int64_t>();
    if (records.asked < 0 || records.for_memory < 0)
      throw TransportError("a file's timeline lacks a negative number of records");
  }
  return others;
}

std::vector<FileEvent> FileTimeline::sorted_with_closes(std::vector<FileEvent> records,
                                                        std::int64_t closed_through) {
  closed_through_ = closed_through;
  auto order = [](const FileEvent& event) {
    return std::tuple(event.mark.period, event.mark.time_s, event.axis, event.mark.record);
  };
  std::sort(records.begin(), records.end(),
            [&](const FileEvent& a, const FileEvent& b) { return order(a) < order(b); });

  std::vector<FileEvent> events;
  auto close_through = [&](std::int64_t last) {
    while (!open_.empty() && open_.front() <= last) {
      const auto dropped = dropped_.find(open_.front());
      const DroppedRecords records = dropped == dropped_.end() ? DroppedRecords() : dropped->second;
      events.push_back({true, 0, {open_.front(), 0, 0, 0, 0}, records});
      open_.erase(open_.begin());
    }
  };
  for (const FileEvent& record : records) {
    close_through(std::min(closed_through, record.mark.period - 1));
    const auto place = std::lower_bound(open_.begin(), open_.end(), record.mark.period);
    if (place == open_.end() || *place != record.mark.period) open_.insert(place, record.mark.period);
    events.push_back(record);
  }
  close_through(closed_through);
  dropped_.erase(dropped_.begin(), dropped_.upper_bound(closed_through));
  return events;
}

}  // namespace pileus
