#include "streams/client_feed.h"

#include <algorithm>
#include <utility>

namespace pileus {

void ClientFeed::take(Parcel parcel) {
  // Once the clock has ended, nobody can make use of later steps, and their senders must not wait for memory.
  if (clock_end_ && parcel.step.index > *clock_end_) return;
  if (parcel.step.index <= clock_step_) return hand_on(std::move(parcel));
  if (!has_failed_) hold_back(std::move(parcel));
}

void ClientFeed::take_marker(std::int64_t step) {
  if (clock_end_ && step > *clock_end_) return;
  if (step <= clock_step_) return hand_on(Marker{step});
  if (!has_failed_) hold_back(Marker{step});
}

void ClientFeed::hold_back(Early early) {
  early_.push_back(std::move(early));
  if (early_.size() == 1) go_ahead();
}

void ClientFeed::finish(std::int64_t last_step) {
  last_step_ = last_step;
  go_ahead();
  finish_if_over();
}

void ClientFeed::advance(const SharedFacts& facts, const StepHold& hold) {
  clock_step_ = facts->step.index;
  expect(facts, hold);
  while (!early_.empty() && step_of(early_.front()) <= clock_step_) {
    Early next = std::move(early_.front());
    early_.pop_front();
    std::visit([&](auto& what) { hand_on(std::move(what)); }, next);
  }
  go_ahead();
  finish_if_over();
}

void ClientFeed::expect(const SharedFacts& facts, const StepHold& hold) {
  const std::int64_t step = facts->step.index;
  if (has_failed_ || (last_step_ && step > *last_step_)) return;
  const ClientFacts& due = facts->kind->of(client_);
  if (!due.groups.empty()) {
    steps_.expect(facts, hold);
  } else if (!due.broadcasts.empty() && !steps_.is_behind()) {
    stream_.pass(step);  // what is sent to all would wait for it for ever
  }
}

void ClientFeed::end_clock(std::int64_t last_step, std::shared_ptr<const ScheduleActions> actions) {
  clock_end_ = last_step;
  last_actions_ = std::move(actions);
  early_.clear();
  finish_if_over();
}

std::int64_t ClientFeed::step_of(const Early& early) {
  const auto* parcel = std::get_if<Parcel>(&early);
  return parcel != nullptr ? parcel->step.index : std::get<Marker>(early).step;
}

void ClientFeed::hand_on(Marker marker) {
  marked_ = std::max(marked_, marker.step);
  if (!has_failed_) fail_if(steps_.pass(marker.step));
  if (!has_failed_) stream_.mark(marker.step);
}

void ClientFeed::hand_on(Parcel parcel) {
  if (!has_failed_) fail_if(steps_.take(parcel.step));
  if (has_failed_) return;
  parcel.facts = steps_.facts();
  stream_.take(std::move(parcel));
}

/// The rank goes on to a step that the clock comes to only when those before it are done: what they lack of
/// this rank, which sends in order, does not come.
void ClientFeed::go_ahead() {
  if (has_failed_ || (early_.empty() && !last_step_)) return;
  const std::int64_t step = early_.empty() ? *last_step_ : step_of(early_.front());
  if (step <= clock_step_) return;
  fail_if(steps_.go_ahead(step));
  if (!has_failed_) stream_.go_on_to(step);
}

void ClientFeed::fail_if(const std::string& wrong) {
  if (wrong.empty()) return;
  has_failed_ = true;
  steps_.clear();
  early_.clear();
  stream_.fail(wrong);
}

void ClientFeed::finish_if_over() {
  if (!last_step_ || !(clock_end_ || clock_step_ >= *last_step_)) return;
  if (!std::exchange(is_finished_, true)) {
    if (!has_failed_) fail_if(steps_.finish(*last_step_));
    steps_.clear();
    stream_.finish(*last_step_);
  }
  if (clock_end_) {
    stream_.end(*last_step_, *clock_end_, last_actions_);
  } else if (clock_step_ > *last_step_ && !std::exchange(has_left_, true)) {
    // Others' parts of records that lack its own would hold their senders' memory, and the clock with it.
    stream_.leave();
  }
}

std::int64_t ClientFeed::sent_through() const {
  const std::optional<std::int64_t> missing = steps_.first_missing();
  return missing ? *missing - 1 : clock_step_;
}

}  // namespace pileus
