// What analysis keeps of the state after a step, and how it finds that all of it is there.

#include <algorithm>
#include <iterator>

#include "core/error_text.h"
#include "streams/analysis.h"

namespace pileus {

/// What server 0 keeps for all: where the clock has brought the groups. Rank 0 hands over all that are due.
void Analysis::follow_groups(const StepFacts& facts) {
  for (const GroupId group : facts.kind->of_rank_zero.groups)
    previous_times_s_[group.index] = facts.step.time;
}

/// The state after the step that the clock has come to is kept: by every stream once its client's marker has
/// come and its steps are closed, by the root once its own are.
void Analysis::begin_cut(std::int64_t step) {
  Cut cut;
  cut.missing = clients_.size() + 1;
  if (self_ == 0) {
    cut.entries = entries_of(plan_, facts_.needs(), previous_times_s_);
    for (std::size_t s = 0; s < plan_.schedules.size(); ++s)
      cut.entries.push_back(axis_entry(plan_, ScheduleId(s), facts_.cursors()[ScheduleId(s)]));
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
