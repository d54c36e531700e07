#include "messaging/active_reduction.h"

#include <algorithm>

#include "core/error.h"

namespace pileus {

ActiveReduction::ActiveReduction(TreePlace place, std::size_t local_contributors, Hooks hooks)
    : place_(std::move(place)), local_contributors_(local_contributors), hooks_(std::move(hooks)) {}

void ActiveReduction::open(std::int64_t step) {
  opened_through_ = step;
  if (closed_early_.erase(step) > 0) return;
  open_[step];
  close_if_complete(step);
}

void ActiveReduction::contribute(std::int64_t step, std::unique_ptr<Contribution> values) {
  Key& key = open_[step];
  if (++key.local > local_contributors_) throw TransportError("a model rank contributed twice to one step");
  add(key, std::move(values));
  close_if_complete(step);
}

void ActiveReduction::receive(std::int64_t step, Decoder& values) {
  Key& key = open_[step];
  if (++key.children > place_.children.size()) throw TransportError("a server contributed twice to one step");
  add(key, hooks_.decode(values));
  close_if_complete(step);
}

void ActiveReduction::end_contributor(std::int64_t last_step) {
  ended_.push_back(last_step);
  std::vector<std::int64_t> steps;
  for (const auto& [step, key] : open_) steps.push_back(step);
  for (std::int64_t step : steps) close_if_complete(step);
}

void ActiveReduction::add(Key& key, std::unique_ptr<Contribution> values) {
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
  if (key.local + ended < local_contributors_ || key.children < place_.children.size()) return;
  if (ended > 0) add(key, hooks_.absent());

  Key complete = std::move(key);
  open_.erase(found);
  if (step > opened_through_) closed_early_.insert(step);
  if (place_.parent) {
    hooks_.send(*place_.parent, step, *complete.values);
  } else {
    hooks_.complete(step, std::move(complete.values));
  }
}

std::vector<std::string> ActiveReduction::open_keys() const {
  std::vector<std::string> texts;
  for (const auto& [step, key] : open_) {
    const std::size_t ranks =
        local_contributors_ - std::min(local_contributors_, key.local + ended_before(step));
    texts.push_back("step " + std::to_string(step) + " (waits for " + std::to_string(ranks) + " of " +
                    std::to_string(local_contributors_) + " model ranks and " +
                    std::to_string(place_.children.size() - key.children) + " of " +
                    std::to_string(place_.children.size()) + " servers)");
  }
  return texts;
}

std::vector<std::int64_t> ActiveReduction::open_steps() const {
  std::vector<std::int64_t> steps;
  for (const auto& [step, key] : open_) steps.push_back(step);
  return steps;
}

}  // namespace pileus
