// How the run's clock goes on, and what comes with its steps.

#include "core/log.h"
#include "server/server_run.h"
#include "streams/read_parcel.h"

namespace pileus {
namespace {

/// Server 0 hears of steps that are done when they are so many, or when it asks for them.
constexpr std::uint64_t kStepsDoneAtOnce = 16;

/// A parcel's message, whose bytes count as held while anybody needs it, and whose step is not done.
struct HeldParcel {
  HeldParcel(std::shared_ptr<const Message> whole, Gauge& gauge) : message(std::move(whole)), held(gauge) {
    held.add(static_cast<std::int64_t>(message->bytes().size()));
  }
  ~HeldParcel() { held.take_away(static_cast<std::int64_t>(message->bytes().size())); }
  HeldParcel(const HeldParcel&) = delete;
  HeldParcel& operator=(const HeldParcel&) = delete;

  std::shared_ptr<const Message> message;
  Gauge& held;
  StepHold step;
};

}  // namespace

void Server::Run::take_parcel(ClientRank client, std::shared_ptr<const Message> message) {
  const auto held = std::make_shared<HeldParcel>(std::move(message), planned_->activity.parcel_bytes);
  Parcel parcel = read_parcel(planned_->plan, client, {held, held->message.get()});
  held->step = planned_->open_steps.hold(parcel.step.index);
  planned_->analysis.take(client, std::move(parcel));
}

/// Of model rank 0, on server 0.
void Server::Run::take_clock(const ClockTick& ticked, std::shared_ptr<const Message> message) {
  held_ticks_.push_back({ticked, std::move(message)});
  release_ticks();
}

void Server::Run::release_ticks() {
  while (!held_ticks_.empty()) {
    HeldTick& next = held_ticks_.front();
    if (!next.tick.is_end) {
      if (!std::exchange(next.has_asked, true)) planned_->gate->ask(next.tick.step, next.tick.start_time_s);
      if (!planned_->gate->lets_through()) return ask_to_hurry();
      has_asked_to_hurry_ = false;
    }
    const HeldTick passed = std::move(next);
    const Bytes frame = below_clock_.empty() ? Bytes() : passed.tick.encode();
    held_ticks_.pop_front();
    tick(passed.tick, frame);
  }
}

void Server::Run::ask_to_hurry() {
  if (!std::exchange(has_asked_to_hurry_, true)) hurry();
}

/// Goes the way of the clock, so that it comes after the steps that it is about.
void Server::Run::hurry() {
  pass_down(bare_frame(ServerFrame::hurry));
  hurried_through_ = planned_->open_steps.opened();
  planned_->analysis.hurry();
}

bool Server::Run::tell_steps_done() {
  if (!planned_ || has_clock_ended_) return false;
  const std::uint64_t done = planned_->open_steps.done();
  const bool is_asked = settings_.self == 0 || told_done_ < hurried_through_;
  if (done - told_done_ < (is_asked ? 1 : kStepsDoneAtOnce)) return false;
  told_done_ = done;
  if (settings_.self == 0) {
    planned_->gate->take_done(0, done);
    release_ticks();
    return true;
  }
  Bytes frame;
  Encoder out(frame);
  out.put(ServerFrame::steps_done);
  out.put(done);
  outbox_.send(0, std::move(frame));
  return true;
}

void Server::Run::pass_down(const Bytes& frame) {
  for (ServerRank child : below_clock_) outbox_.send(child, frame);
}

/// The description of the model has all but this already: without it the run goes on.
void Server::Run::describe_steps(const ClockTick& first) {
  try {
    describe_model_if_asked(settings_, all_registrations_, &first, has_initial_state_);
  } catch (const OutputError& error) {
    log::warning(error.what());
  }
}

void Server::Run::tick(const ClockTick& ticked, const Bytes& frame) {
  pass_down(frame);
  if (ticked.is_end) {
    has_clock_ended_ = true;
    model_ended_ = Activity::Clock::now();
    guarded([&] { planned_->analysis.end_clock(ticked.step.index); });
    guarded([&] { planned_->publishing.end_clock(); });
  } else if (!is_stopped_) {
    if (ticked.step.is_initial()) {
      has_initial_state_ = true;
    } else if (settings_.self == 0 && !std::exchange(has_described_steps_, true)) {
      describe_steps(ticked);
    }
    const StepHold hold = planned_->open_steps.open(ticked.step.index);
    if (ticked.step.is_checkpoint) planned_->checkpoints.begin(ticked.step);
    planned_->analysis.advance(ticked.step, ticked.start_time_s, hold);
    planned_->publishing.advance(ticked.step, ticked.start_time_s);
    if (const auto line = progress_line_.at(ticked.step, ProgressLine::Clock::now())) log::info(*line);
  }
}

}  // namespace pileus
