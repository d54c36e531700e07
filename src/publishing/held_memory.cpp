#include "publishing/held_memory.h"

#include <algorithm>

namespace pileus {

void HeldMemory::hold(VariableId id, const RecordMark& mark, std::shared_ptr<const void> memory) {
  const Variable& variable = plan_[id];
  const FilePeriod file{variable.file, mark.period};
  const bool is_over =
      failed_[file.file.index].contains(file.period) || file.period > last_period_[file.file.index];
  if (!memory || is_over) return;
  const auto& schedules = plan_[file.file].schedules;
  const auto axis = std::ranges::find(schedules, variable.schedule) - schedules.begin();
  held_[{file, static_cast<std::uint32_t>(axis), mark.record}].push_back(std::move(memory));
}

void HeldMemory::take(const Progress& progress) {
  held_.erase(held_.lower_bound({progress.file, progress.axis, 0}),
              held_.lower_bound({progress.file, progress.axis, progress.written}));
}

void HeldMemory::take(const Closing& closing) {
  const FilePeriod file = closing.file;
  if (closing.is_last) last_period_[file.file.index] = file.period;
  Periods& failed = failed_[file.file.index];
  if (closing.is_failed) failed.add(file.period);
  // The owner has no file of those before: nothing of them comes any more.
  failed.join_where([&](std::int64_t, std::int64_t last) { return last < closing.first_open; });
  std::erase_if(held_, [&](const auto& held) {
    const RecordOfAxis& record = held.first;
    if (record.file.file != file.file) return false;
    if (closing.is_last && record.file.period > file.period) return true;
    if (record.file != file || closing.records.empty()) return false;
    return closing.is_failed || record.record >= closing.records[record.axis];
  });
}

}  // namespace pileus
