#include "messaging/active_reduction.h"

#include <algorithm>
#include <new>
#include <utility>

#include "core/error.h"
#include "core/error_text.h"

namespace pileus {

ActiveReduction::ActiveReduction(TreeSeat seat, std::size_t local_contributors, ReductionHost& host)
    : seat_(std::move(seat)), local_contributors_(local_contributors), host_(host) {}

void ActiveReduction::open(std::int64_t step) {
  opened_through_ = step;
  const bool has_closed = closed_early_.contains(step);
  closed_early_.erase(closed_early_.begin(), closed_early_.upper_bound(step));  // no other is opened any more
  if (has_closed) return;
  open_[step];
  close_if_complete(step);
}

void ActiveReduction::contribute(std::int64_t step, std::unique_ptr<Contribution> values) {
  Key& key = open_[step];
  add(step, key, [&] {
    if (++key.local > local_contributors_) throw TransportError("a model rank contributed twice to one step");
    return std::move(values);
  });
  close_if_complete(step);
}

void ActiveReduction::receive(std::int64_t step, Decoder& values) {
  Key& key = open_[step];
  add(step, key, [&] {
    if (++key.children > seat_.children.size())
      throw TransportError("a server contributed twice to one step");
    return host_.decode(values);
  });
  close_if_complete(step);
}

void ActiveReduction::end_contributor(std::int64_t last_step) {
  ended_.push_back(last_step);
  std::vector<std::int64_t> steps;
  for (const auto& [step, key] : open_) steps.push_back(step);
  for (std::int64_t step : steps) close_if_complete(step);
}

/// One that is counted and fails must not let the step close with the values of the others.
template <class Make>
void ActiveReduction::add(std::int64_t step, Key& key, Make make) {
  try {
    merge(key, make());
  } catch (const std::bad_alloc&) {
    key.is_spoilt = true;
    throw;
  } catch (...) {
    if (!std::exchange(key.is_spoilt, true)) host_.fail(step, text_of_current_exception());
  }
}

void ActiveReduction::merge(Key& key, std::unique_ptr<Contribution> values) {
  if (key.values) {
    key.values->merge(*values);
  } else {
    key.values = std::move(values);
  }
}

std::size_t ActiveReduction::ended_before(std::int64_t step) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(ended_, [&](std::int64_t last) { return last < step; }));
}

void ActiveReduction::close_if_complete(std::int64_t step) {
  const auto found = open_.find(step);
  if (found == open_.end()) return;
  Key& key = found->second;
  const std::size_t ended = ended_before(step);
  if (key.local + ended < local_contributors_ || key.children < seat_.children.size()) return;
  if (key.is_spoilt) {
    key.values = host_.absent();
  } else if (ended > 0) {
    merge(key, host_.absent());
  }

  Key complete = std::move(key);
  open_.erase(found);
  if (step > opened_through_) closed_early_.insert(step);
  if (seat_.parent) {
    host_.send(*seat_.parent, step, *complete.values);
  } else {
    host_.complete(step, std::move(complete.values));
  }
}

std::vector<std::string> ActiveReduction::open_keys() const {
  std::vector<std::string> texts;
  for (const auto& [step, key] : open_) {
    const std::size_t ranks =
        local_contributors_ - std::min(local_contributors_, key.local + ended_before(step));
    texts.push_back("step " + std::to_string(step) + " (waits for " + std::to_string(ranks) + " of " +
                    std::to_string(local_contributors_) + " model ranks and " +
                    std::to_string(seat_.children.size() - key.children) + " of " +
                    std::to_string(seat_.children.size()) + " servers)");
  }
  return texts;
}

std::vector<std::int64_t> ActiveReduction::open_steps() const {
  std::vector<std::int64_t> steps;
  for (const auto& [step, key] : open_) steps.push_back(step);
  return steps;
}

}  // namespace pileus
