#include "publishing/held_rooms.h"

#include <algorithm>

namespace pileus {

void HeldRooms::hold(VariableId id, const RecordMark& mark, std::shared_ptr<const void> room) {
  const Variable& variable = plan_[id];
  const FilePeriod file{variable.file, mark.period};
  if (!room || failed_.contains(file) || file.period > last_period_[file.file.index]) return;
  const auto& schedules = plan_[file.file].schedules;
  const auto axis = std::ranges::find(schedules, variable.schedule) - schedules.begin();
  rooms_[{file, static_cast<std::uint32_t>(axis), mark.record}].push_back(std::move(room));
}

void HeldRooms::take(const Progress& progress) {
  rooms_.erase(rooms_.lower_bound({progress.file, progress.axis, 0}),
               rooms_.lower_bound({progress.file, progress.axis, progress.written}));
}

void HeldRooms::take(const Closing& closing) {
  const FilePeriod file = closing.file;
  if (closing.is_last) last_period_[file.file.index] = file.period;
  if (closing.is_failed) failed_.insert(file);
  std::erase_if(rooms_, [&](const auto& held) {
    const Place& place = held.first;
    if (place.file.file != file.file) return false;
    if (closing.is_last && place.file.period > file.period) return true;
    if (place.file != file || closing.records.empty()) return false;
    return closing.is_failed || place.record >= closing.records[place.axis];
  });
}

}  // namespace pileus
