#pragma once
// The run's clock on one server: the steps of model rank 0, which server 0 holds back while servers have no
// memory for more, and passes on down a tree to all. Here they come to analysis, publishing and checkpoints.

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "messaging/clock_frame.h"
#include "messaging/steps_done.h"
#include "messaging/tree_shape.h"
#include "messaging/trigger_frame.h"
#include "report/activity.h"
#include "report/progress_line.h"
#include "server/commit.h"
#include "server/overload_book.h"
#include "server/server_state.h"
#include "server/stopping.h"

namespace pileus {

class RunClock {
 public:
  /// `registrations`: of all ranks, on server 0. REQUIRES: what is passed outlives it.
  RunClock(ServerState& state, Stopping& stopping, const Registrations& registrations);

  /// Takes a step of model rank 0, or its end, on server 0. `message` is held until the clock comes to it.
  void take_model_tick(const ClockTick& tick, std::shared_ptr<const Message> message);
  /// Takes a word of the model about the step that comes next, on server 0.
  void take_event(std::string word);
  /// Takes a condition of a trigger, on server 0. Errors: TransportError where it is none that is asked for.
  void take_trigger(const TriggerFrame& frame);
  /// The clock comes to the step, on the other servers.
  /// Errors: TransportError from a server that is not above this one, and for a step that is no later one.
  void take_tick(ServerRank from, const ClockTick& tick);
  /// The clock waits for steps that are not done, so values that wait for a record leave. The word goes the
  /// way of the clock, so that it comes after the steps that it is about. Errors: as take_tick.
  void take_hurry(ServerRank from);
  /// Takes what servers below this one say of their steps. Errors: TransportError where it cannot be.
  void take_steps_done(ServerRank from, Decoder& in);
  /// Server 0 holds no step back from now on.
  void open_for_good();
  /// Tries again what failed for lack of memory.
  void go_on();
  /// Says which steps are done here and below, where it is time to. True if it was.
  bool tell_steps_done();

  /// When servers were behind; of server 0.
  const OverloadBook& overloads() const { return overloads_; }
  /// So many steps of the model are here and not let through, on server 0.
  std::size_t held_back() const {
    return held_.size() - (held_.empty() || !held_.back().tick.is_end ? 0 : 1);
  }
  bool has_ended() const { return has_ended_; }
  /// REQUIRES: it has ended.
  Activity::Clock::time_point ended_at() const { return ended_at_; }

 private:
  struct HeldTick {
    ClockTick tick;
    std::shared_ptr<const Message> message;  ///< holds its memory
    std::vector<std::string> events = {};    ///< the model's words about it
    bool has_asked = false;
    bool is_let_through = false;
    std::size_t passed_to = 0;  ///< so many of the servers below
  };
  void note_own_steps();
  void pass_steps_up();
  void require_above(ServerRank from) const;
  void require_later(const ClockTick& tick);
  void hold(HeldTick tick);
  void release();
  bool lets_through(HeldTick& next);
  void ask_to_hurry();
  void hurry();
  void go_to(const ClockTick& tick);
  void end(const ClockTick& tick);
  void advance(const ClockTick& tick);
  void describe_first(const ClockTick& tick);
  void pass_down(HeldTick& next);

  ServerState& state_;
  Stopping& stopping_;
  const Registrations& registrations_;
  TreeSeat seat_;                         ///< in the tree down which the clock comes
  std::deque<HeldTick> held_;             ///< that came and wait; more than one on server 0 alone
  std::vector<std::string> next_events_;  ///< the model's words about the step that comes next
  OverloadBook overloads_;
  bool must_release_ = false;        ///< the first of them failed
  bool has_asked_to_hurry_ = false;  ///< server 0: since the clock last went on
  std::uint64_t told_done_ = 0;      ///< steps that were said to be done here
  std::uint64_t told_arrived_ = 0;   ///< and that have come from all model ranks
  std::uint64_t hurried_through_ = 0;
  bool is_hurried_ = false;  ///< server 0 has asked to hurry, and no step has come since
  StepsDoneNews news_;       ///< of servers, on its way up
  bool has_described_steps_ = false;
  bool has_initial_state_ = false;
  std::int64_t last_step_ = -1;  ///< of the clock as it came to this server
  bool has_last_tick_ = false;   ///< its end came
  bool has_ended_ = false;
  Activity::Clock::time_point ended_at_;
  ProgressLine progress_line_;  ///< server 0
  bool has_begun_ = false;
};

}  // namespace pileus
