#include "server/step_gate.h"

#include <algorithm>
#include <utility>

#include "core/error.h"

namespace pileus {

StepGate::StepGate(const Plan& plan, std::vector<std::uint64_t> budget_bytes) : plan_(plan), costs_(plan) {
  for (const std::uint64_t budget : budget_bytes) servers_.push_back({budget});
}

void StepGate::ask(const Step& step, double start_time_s) {
  if (!tracker_) tracker_.emplace(plan_.tracker(start_time_s));
  if (std::exchange(last_asked_, step.index) != step.index) tracker_->advance(step);
  asking_ = costs_.of(*tracker_);
}

bool StepGate::lets_through() {
  for (std::size_t s = 0; s < servers_.size() && !is_open_; ++s) {
    const Server& server = servers_[s];
    const std::uint64_t budget = was_refused_ ? server.budget_bytes / 2 : server.budget_bytes;
    if (server.held_bytes == 0 || server.held_bytes + (*asking_)[s] <= budget) continue;
    was_refused_ = true;
    return false;
  }
  was_refused_ = false;
  passed_.push_back(asking_);
  for (std::size_t s = 0; s < servers_.size(); ++s) servers_[s].held_bytes += (*asking_)[s];
  return true;
}

void StepGate::take_done(std::size_t place, std::uint64_t steps) {
  if (place >= servers_.size()) throw TransportError("steps are done on a server that does not exist");
  Server& server = servers_[place];
  if (steps < server.done || steps > first_ + passed_.size())
    throw TransportError("a server says that it is done with steps that it was not told of");
  for (; server.done < steps; ++server.done) server.held_bytes -= (*passed_[server.done - first_])[place];
  const auto least = std::ranges::min_element(servers_, {}, &Server::done)->done;
  for (; first_ < least; ++first_) passed_.pop_front();
}

}  // namespace pileus
