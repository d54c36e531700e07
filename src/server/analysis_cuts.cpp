// What analysis keeps of the state after a step, and how it finds that all of it is there.

#include <algorithm>
#include <iterator>

#include "core/error_text.h"
#include "server/analysis.h"

namespace pileus {

/// What server 0 keeps for all: where the clock has brought the axes and the groups.
void Analysis::follow_clock(const Step& step, double start_time_s) {
  for (std::size_t s = clock_cursors_.size(); s < plan_.schedules.size(); ++s) {
    const ScheduleId id(s);
    clock_cursors_.push_back(continued_ ? continued_->cursor(id) : make_cursor(plan_, id, start_time_s));
  }
  for (ScheduleCursor& cursor : clock_cursors_) cursor.advance(step);
  for (std::size_t g = 0; g < plan_.groups.size(); ++g) {
    const bool is_due = std::ranges::any_of(plan_.groups[g].fields, [&](FieldId field) {
      return clock_needs_->is_any_met(plan_[plan_[field].value].needs);
    });
    if (is_due) previous_times_s_[g] = step.time;
  }
}

/// The state after the step that the clock has come to is kept: by every stream once its client's marker has
/// come and its steps are closed, by the root once its own are.
void Analysis::begin_cut(std::int64_t step) {
  Cut cut;
  cut.missing = clients_.size() + 1;
  if (self_ == 0) {
    cut.entries = entries_of(plan_, *clock_needs_, previous_times_s_);
    for (std::size_t s = 0; s < plan_.schedules.size(); ++s)
      cut.entries.push_back(axis_entry(plan_, ScheduleId(s), clock_cursors_[s]));
  }
  auto shared = std::make_shared<Cut>(std::move(cut));
  cuts_strand_.post([this, step, shared] { cuts_.emplace(step, std::move(*shared)); });
  for (auto& [rank, client] : clients_) client.stream->expect_cut(step);
}

/// From the root's strand.
void Analysis::keep_root(std::int64_t step) {
  try {
    add_to_cut(step, root_windows_.state(), "");
  } catch (...) {
    add_to_cut(step, {}, text_of_current_exception());
  }
}

void Analysis::add_to_cut(std::int64_t step, std::vector<StateEntry> entries, std::string error) {
  auto shared = std::make_shared<std::vector<StateEntry>>(std::move(entries));
  cuts_strand_.post([this, step, shared, error = std::move(error)] {
    const auto found = cuts_.find(step);
    if (found == cuts_.end()) return;
    Cut& cut = found->second;
    std::ranges::move(*shared, std::back_inserter(cut.entries));
    if (cut.error.empty()) cut.error = error;
    if (--cut.missing > 0) return;
    Cut complete = std::move(cut);
    cuts_.erase(found);
    if (hooks_.kept) hooks_.kept(step, std::move(complete.entries), std::move(complete.error));
  });
}

}  // namespace pileus
