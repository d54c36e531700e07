#include "server/gate/record_choice.h"

namespace pileus {

RecordChoice::RecordChoice(const Plan& plan) {
  for (std::size_t need = 0; need < plan.needs.size(); ++need) {
    const ScheduleId schedule = plan.needs[need].droppable;
    if (!schedule.is_valid() || !plan[plan[schedule].file].drops_records()) continue;
    const WhenMemoryFull policy = plan[plan[schedule].file].when_memory_full;
    axes_.push_back({schedule, need, policy == WhenMemoryFull::thin});
  }
}

DroppedAxes RecordChoice::dropped(const Step& step, const std::vector<bool>& is_met, bool is_full) const {
  DroppedAxes dropped;
  if (!is_full || step.is_final != 0 || step.is_closing != 0) return dropped;
  for (const Axis& axis : axes_) {
    if (is_met[axis.need] && !(axis.is_thinned && axis.has_dropped_last))
      dropped.add(axis.schedule, WhyDropped::memory);
  }
  return dropped;
}

void RecordChoice::pass(const std::vector<bool>& is_met, const DroppedAxes& dropped, bool is_full) {
  for (Axis& axis : axes_) {
    if (is_met[axis.need]) axis.has_dropped_last = is_full && dropped.has(axis.schedule);
  }
}

}  // namespace pileus
