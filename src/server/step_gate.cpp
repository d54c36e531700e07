#include "server/step_gate.h"

#include <algorithm>

#include "core/error.h"

namespace pileus {

StepGate::StepGate(const Plan& plan, std::vector<std::uint64_t> room_bytes) : plan_(plan), costs_(plan) {
  for (const std::uint64_t room : room_bytes) servers_.push_back({room});
}

void StepGate::ask(const Step& step, double start_time_s) {
  if (!tracker_) tracker_.emplace(plan_.tracker(start_time_s));
  tracker_->advance(step);
  asking_ = costs_.of(*tracker_);
}

bool StepGate::lets_through() {
  for (std::size_t s = 0; s < servers_.size() && !is_open_; ++s) {
    const Server& server = servers_[s];
    const std::uint64_t room = was_refused_ ? server.room_bytes / 2 : server.room_bytes;
    if (server.kept_bytes == 0 || server.kept_bytes + (*asking_)[s] <= room) continue;
    was_refused_ = true;
    return false;
  }
  was_refused_ = false;
  for (std::size_t s = 0; s < servers_.size(); ++s) servers_[s].kept_bytes += (*asking_)[s];
  passed_.push_back(asking_);
  return true;
}

void StepGate::take_done(std::size_t place, std::uint64_t steps) {
  if (place >= servers_.size()) throw TransportError("steps are done on a server that does not exist");
  Server& server = servers_[place];
  if (steps < server.done || steps > first_ + passed_.size())
    throw TransportError("a server says that it is done with steps that it was not told of");
  for (; server.done < steps; ++server.done) server.kept_bytes -= (*passed_[server.done - first_])[place];
  const auto least = std::ranges::min_element(servers_, {}, &Server::done)->done;
  for (; first_ < least; ++first_) passed_.pop_front();
}

}  // namespace pileus
