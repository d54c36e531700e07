#include "streams/client_feed.h"

#include <algorithm>
#include <utility>

namespace pileus {

void ClientFeed::take(Arrival arrival) {
  const std::int64_t step = arrival.parcel.step.index;
  // Once the clock has ended, nobody can make use of later steps, and their senders must not wait for memory.
  if (clock_end_ && step > *clock_end_) return;
  if (step <= clock_step_ && !waits_for_disk()) return hand_on(std::move(arrival.parcel));
  if (!has_failed_) hold_back(laid_aside_if_much(std::move(arrival)));
}

void ClientFeed::take_marker(std::int64_t step) {
  if (clock_end_ && step > *clock_end_) return;
  if (step <= clock_step_ && !waits_for_disk()) return hand_on(Marker{step});
  if (!has_failed_) hold_back(Marker{step});
}

void ClientFeed::hold_back(Early early) {
  early_.push_back(std::move(early));
  if (early_.size() == 1) go_ahead();
}

/// What the clock has come to would only be read again at once.
ClientFeed::Early ClientFeed::laid_aside_if_much(Arrival arrival) {
  const std::int64_t step = arrival.parcel.step.index;
  if (spilling_ == nullptr || !arrival.message) return arrival;
  const std::uint64_t bytes = arrival.message->bytes().size();
  if (step > clock_step_ && early_bytes_ + bytes > spilling_->most_bytes_in_memory) {
    if (auto message = spilling_->spill.lay_aside(arrival.message, step))
      return Spilled{step, std::move(arrival.hold), std::move(message)};
  }
  early_bytes_ += bytes;
  return arrival;
}

void ClientFeed::finish(std::int64_t last_step) {
  last_step_ = last_step;
  go_ahead();
  finish_if_over();
}

void ClientFeed::advance(const SharedFacts& facts, const StepHold& hold) {
  clock_step_ = facts->step.index;
  expect(facts, hold);
  hand_on_early();
}

void ClientFeed::go_on() {
  if (waits_for_disk()) hand_on_early();
}

/// True if it is in memory again.
bool ClientFeed::come_back(Early& early) {
  auto* const spilled = std::get_if<Spilled>(&early);
  if (spilled == nullptr) return true;
  if (std::shared_ptr<const Message> message = spilled->message->take()) {
    Arrival arrival = spilling_->arrival(client_, std::move(message), spilled->message->was_on_disk());
    arrival.message.reset();  // its arrays hold it
    early = std::move(arrival);
    return true;
  }
  return false;
}

/// In the order in which they came. What the clock has come to is read, and the rest waits behind it.
void ClientFeed::hand_on_early() {
  for (; asked_ < early_.size() && step_of(early_[asked_]) <= clock_step_; ++asked_)
    come_back(early_[asked_]);
  while (waits_for_disk()) {
    if (!come_back(early_.front())) return;
    Early next = std::move(early_.front());
    early_.pop_front();
    asked_ -= std::min<std::size_t>(asked_, 1);
    if (auto* arrival = std::get_if<Arrival>(&next)) {
      hand_on(std::move(in_no_queue(*arrival).parcel));
    } else {
      hand_on(std::get<Marker>(next));
    }
  }
  go_ahead();
  finish_if_over();
}

/// Its bytes are counted no more.
Arrival& ClientFeed::in_no_queue(Arrival& arrival) {
  if (arrival.message) early_bytes_ -= arrival.message->bytes().size();
  arrival.message.reset();
  return arrival;
}

void ClientFeed::drop_early() {
  early_.clear();
  asked_ = early_bytes_ = 0;
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
  // What is left was laid aside, and is to be read.
  for (; !early_.empty() && step_of(early_.back()) > last_step; early_.pop_back()) {
    if (auto* arrival = std::get_if<Arrival>(&early_.back())) in_no_queue(*arrival);
  }
  finish_if_over();
}

std::int64_t ClientFeed::step_of(const Early& early) {
  if (const auto* arrival = std::get_if<Arrival>(&early)) return arrival->parcel.step.index;
  const auto* spilled = std::get_if<Spilled>(&early);
  return spilled != nullptr ? spilled->step : std::get<Marker>(early).step;
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
  drop_early();
  stream_.fail(wrong);
}

void ClientFeed::finish_if_over() {
  if (!last_step_ || !(clock_end_ || clock_step_ >= *last_step_) || waits_for_disk()) return;
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
