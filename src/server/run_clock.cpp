#include "server/run_clock.h"

#include <unistd.h>

#include <algorithm>

#include "core/error.h"
#include "core/log.h"
#include "server/wiring.h"

namespace pileus {
namespace {

/// Seconds between two lines that say how far the model is; 0: none. For people who look, or who ask.
double progress_period_of(const ServerSettings& settings) {
  if (settings.self != 0 || settings.now) return 0;
  return seconds_of("PILEUS_PROGRESS", isatty(STDERR_FILENO) == 1 ? 10 : 0);
}

}  // namespace

RunClock::RunClock(ServerState& state, Stopping& stopping, const Registrations& registrations)
    : state_(state),
      stopping_(stopping),
      registrations_(registrations),
      seat_(seat_below_first(static_cast<ServerRank>(state.settings.servers.size()), state.settings.self)),
      overloads_(state),
      news_(static_cast<ServerRank>(state.settings.servers.size()), state.settings.self),
      progress_line_(progress_period_of(state.settings)) {}

/// Errors: TransportError for a step that is no later one than those before.
void RunClock::require_later(const ClockTick& tick) {
  if (has_last_tick_ || (!tick.is_end && tick.step.index <= last_step_))
    throw TransportError("the clock came to step " + std::to_string(tick.step.index) + " after " +
                         (has_last_tick_ ? "its end" : "step " + std::to_string(last_step_)));
  last_step_ = tick.step.index;
  has_last_tick_ = tick.is_end;
}

void RunClock::take_model_tick(const ClockTick& tick, std::shared_ptr<const Message> message) {
  require_later(tick);
  hold({tick, std::move(message), std::exchange(next_events_, {})});
}

/// More than a model can mean are left out, so that they stay in memory.
void RunClock::take_event(std::string word) {
  constexpr std::size_t kMostOfStep = 1000;
  if (next_events_.size() == kMostOfStep)
    throw TransportError("model rank 0 sent more than " + std::to_string(kMostOfStep) +
                         " events about a step");
  next_events_.push_back(std::move(word));
}

void RunClock::take_trigger(const TriggerFrame& frame) {
  if (!state_.wiring->steering) throw TransportError("a server took this one for server 0");
  state_.wiring->steering->take(frame);
  release();
}

void RunClock::hold(HeldTick tick) {
  stopping_.surely([&] { held_.push_back(tick); });
  is_hurried_ = false;
  release();
}

/// A failure leaves the step where it is, for the lane's next turn. A lost step would be waited for.
void RunClock::release() {
  must_release_ = true;
  while (!held_.empty() && lets_through(held_.front())) {
    pass_down(held_.front());
    const ClockTick passed = held_.front().tick;
    held_.pop_front();
    go_to(passed);
  }
  must_release_ = false;
}

bool RunClock::lets_through(HeldTick& next) {
  if (next.tick.is_end || next.is_let_through || !state_.is_first()) return true;
  if (!state_.wiring->steering->is_ready()) {
    ask_to_hurry();
    return false;
  }
  StepGate& gate = *state_.wiring->gate;
  if (!next.has_asked) gate.ask(next.tick.step, next.tick.start_time_s);
  next.has_asked = true;
  // Files whose trigger is off, and what somebody asked for: whatever fails behind it, these stay left out.
  next.tick.dropped = state_.wiring->steering->advance(next.tick.step, next.events);
  next.is_let_through = gate.lets_through(next.tick.dropped);
  DroppedAxes for_memory;
  if (next.is_let_through) for_memory = gate.take_dropped();
  for (const DroppedAxes::Axis& one : for_memory.axes()) next.tick.dropped.add(one.axis, one.why);
  overloads_.look(gate.overloaded(), next.tick.step);
  if (next.is_let_through) {
    has_asked_to_hurry_ = false;
    overloads_.note_dropped(next.tick.step, for_memory);
    return true;
  }
  ask_to_hurry();
  return false;
}

void RunClock::ask_to_hurry() {
  if (!std::exchange(has_asked_to_hurry_, true)) hurry();
}

void RunClock::hurry() {
  for (ServerRank child : seat_.children) state_.letters.send(child, bare_frame(ServerFrame::hurry));
  hurried_through_ = state_.wiring->open_steps.opened();
  is_hurried_ = true;
  state_.wiring->analysis.hurry();
}

void RunClock::take_steps_done(ServerRank from, Decoder& in) { news_.take(from, in); }

void RunClock::open_for_good() {
  if (!state_.wiring->gate) throw TransportError("a server took this one for server 0");
  state_.wiring->gate->open_for_good();
  state_.wiring->steering->open_for_good();
  release();
}

void RunClock::go_on() {
  if (must_release_) release();
}

bool RunClock::tell_steps_done() {
  if (!state_.wiring || has_ended_) return false;
  note_own_steps();
  const bool may_wait = !is_hurried_ && !state_.is_first() && !state_.wiring->needs_every_word;
  if (news_.is_empty() || (may_wait && !news_.is_due())) return false;
  pass_steps_up();
  return true;
}

/// What is done tells where there is memory, and what has arrived whether servers or the model are behind.
void RunClock::note_own_steps() {
  Wiring& wiring = *state_.wiring;
  const std::uint64_t done = wiring.open_steps.done();
  const std::uint64_t arrived = told_arrived_ == wiring.open_steps.opened()
                                    ? told_arrived_
                                    : wiring.open_steps.up_to(wiring.analysis.sent_through());
  const std::uint64_t more = std::max(done - told_done_, arrived - std::min(arrived, told_arrived_));
  const bool is_asked = state_.is_first() || is_hurried_ || told_done_ < hurried_through_;
  if (more < (is_asked ? 1 : wiring.steps_told_at_once)) return;
  news_.add({state_.settings.self, done, std::max(told_arrived_, arrived)});
  told_done_ = done;
  told_arrived_ = std::max(told_arrived_, arrived);
}

/// What cannot be sent for lack of memory is, in the lane's next turn. What cannot be true is dropped.
void RunClock::pass_steps_up() {
  const std::vector<StepsDone> news = news_.all();
  if (!state_.is_first()) {
    state_.letters.send(*seat_.parent, encode_steps_done(news));
    return news_.clear();
  }
  news_.clear();
  stopping_.guarded([&] { state_.wiring->gate->take_done(news); });
  release();
}

void RunClock::pass_down(HeldTick& next) {
  if (seat_.children.empty()) return;
  const Bytes frame = next.tick.encode();
  for (; next.passed_to < seat_.children.size(); ++next.passed_to)
    state_.letters.send(seat_.children[next.passed_to], frame);
}

void RunClock::require_above(ServerRank from) const {
  if (seat_.parent != from)
    throw TransportError("server " + std::to_string(from) +
                         " sends the clock down a tree in which it is not above this one");
}

void RunClock::take_tick(ServerRank from, const ClockTick& tick) {
  require_above(from);
  require_later(tick);
  for (const DroppedAxes::Axis& one : tick.dropped.axes()) {
    const Plan& plan = state_.wiring->plan;
    if (one.axis.index >= plan.schedules.size() || plan[one.axis].manipulation.covers_window())
      throw TransportError("the clock leaves out records of a file that has to have them");
  }
  hold({tick, nullptr});
}

void RunClock::take_hurry(ServerRank from) {
  require_above(from);
  hurry();
}

void RunClock::go_to(const ClockTick& tick) {
  if (tick.is_end) {
    end(tick);
  } else if (!stopping_.is_stopped()) {
    advance(tick);
  }
}

void RunClock::end(const ClockTick& tick) {
  has_ended_ = true;
  overloads_.end();
  ended_at_ = Activity::Clock::now();
  // The step in which this server failed may lack in its files, which must not pass for complete.
  if (state_.failures.is_any())
    stopping_.guarded([&] { state_.wiring->publishing.stop(state_.failures.first()); });
  stopping_.guarded([&] { state_.wiring->analysis.end_clock(tick.step.index); });
  stopping_.guarded([&] { state_.wiring->publishing.end_clock(); });
}

void RunClock::advance(const ClockTick& tick) {
  Wiring& wiring = *state_.wiring;
  if (!std::exchange(has_begun_, true)) progress_line_.set_end(wiring.config.time.end_s);
  describe_first(tick);
  const StepHold hold = wiring.open_steps.open(tick.step.index);
  if (state_.trace) state_.trace->begin_step(tick.step.index, Trace::Clock::now());
  if (tick.step.is_checkpoint) wiring.checkpoints.begin(tick.step);
  wiring.analysis.advance(tick.step, tick.start_time_s, hold, tick.dropped);
  if (wiring.steering && wiring.analysis.actions() != nullptr)
    wiring.steering->expect(tick.step, *wiring.analysis.actions());
  wiring.publishing.advance(tick.step, tick.start_time_s, tick.dropped);
  if (const auto line = progress_line_.at(tick.step, ProgressLine::Clock::now())) log::info(*line);
}

/// The description of the model lacks what its first step says. Without it the run goes on.
void RunClock::describe_first(const ClockTick& tick) {
  if (tick.step.is_initial()) {
    has_initial_state_ = true;
    return;
  }
  if (!state_.is_first() || std::exchange(has_described_steps_, true)) return;
  try {
    describe_model_if_asked(state_.settings, registrations_, &tick, has_initial_state_);
  } catch (const OutputError& error) {
    log::warning(error.what());
  }
}

}  // namespace pileus
