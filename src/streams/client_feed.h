#pragma once
// One model rank as this server's lane sees it: what it sends ahead of the clock waits here, its steps are
// held against those of the clock, and what is right goes on to its stream. Called by the server's lane
// alone.

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "spill/spill.h"
#include "streams/arrival.h"
#include "streams/client_steps.h"
#include "streams/client_stream.h"
#include "streams/open_steps.h"

namespace pileus {

class ClientFeed {
 public:
  /// The arguments of ClientStream.
  ClientFeed(const Plan& plan, ClientRank client, Executor& workers, ErrorList& errors,
             Contributions& contributions, RecordSink& records, StateSink& cuts,
             const ContinuedWindows* continued, const std::vector<KeptStatic>& statics)
      : client_(client),
        steps_(client),
        stream_(plan, client, workers, errors, contributions, records, cuts, continued, statics) {}

  /// What comes ahead of the clock may be laid aside from now on. REQUIRES: `spilling` outlives it.
  void lay_early_aside(const Spilling& spilling) { spilling_ = &spilling; }

  /// Waits for the clock to come to the parcel's step, so that a step that is not the run's never counts.
  void take(Arrival arrival);
  /// The rank has handed over everything up to the end of a step whose state is kept.
  void take_marker(std::int64_t step);
  /// The rank has finished; `last_step`: that it handed over, -1 if there was none.
  void finish(std::int64_t last_step);

  /// A step of the clock. `hold`: is held until the rank has handed over what is due of it.
  void advance(const SharedFacts& facts, const StepHold& hold);
  /// The clock ended after `last_step`; `actions`: what is to be done with the windows in progress.
  void end_clock(std::int64_t last_step, std::shared_ptr<const ScheduleActions> actions);
  /// The state after this step of the clock is to be kept.
  void expect_cut(std::int64_t step) { stream_.expect_cut(step); }
  /// Values that another server has sent to all; on any thread.
  void settle(std::int64_t step, const std::shared_ptr<const BroadcastValues>& values) {
    stream_.settle(step, values);
  }
  /// Something that was laid aside may be in memory again.
  void go_on();
  /// Drops everything that waits for the clock, and what a step has of which the rest does not come any more.
  void stop() {
    drop_early();
    stream_.abandon();
  }

  /// Tells whether the server waits for nothing of the rank any more.
  bool is_over() const { return is_finished_ || has_failed_; }
  bool is_ahead_of_clock() const { return !early_.empty() && step_of(early_.back()) > clock_step_; }
  /// Steps that the clock has come to and of which nothing has come, at most so many; rising.
  std::vector<std::int64_t> missing_steps(std::size_t most) const { return steps_.missing(most); }
  /// The last step of the clock up to which the rank has handed over something of all that are due.
  std::int64_t sent_through() const;
  /// The last step whose end the rank has marked; -1 before that.
  std::int64_t marked() const { return marked_; }
  /// The stream, whose memory and costs are to be asked when nothing runs.
  const ClientStream& stream() const { return stream_; }

 private:
  struct Marker {
    std::int64_t step;
  };
  struct Spilled {
    std::int64_t step;
    StepHold hold;
    std::unique_ptr<SpilledMessage> message;
  };
  using Early = std::variant<Arrival, Marker, Spilled>;

  void drop_early();
  static std::int64_t step_of(const Early& early);
  void hold_back(Early early);
  Early laid_aside_if_much(Arrival arrival);
  bool come_back(Early& early);
  void hand_on_early();
  Arrival& in_no_queue(Arrival& arrival);
  /// The clock has come to the first of what waits.
  bool waits_for_disk() const { return !early_.empty() && step_of(early_.front()) <= clock_step_; }
  void hand_on(Parcel parcel);
  void hand_on(Marker marker);
  void expect(const SharedFacts& facts, const StepHold& hold);
  void go_ahead();
  void fail_if(const std::string& wrong);
  void finish_if_over();

  ClientRank client_;
  ClientSteps steps_;
  ClientStream stream_;
  /// Of steps that the clock has not come to, or behind what is to be read.
  std::deque<Early> early_;
  const Spilling* spilling_ = nullptr;  ///< null: all of these stay in memory
  std::uint64_t early_bytes_ = 0;       ///< of those that do
  std::size_t asked_ = 0;               ///< so many, from the first, have been asked to come back
  std::int64_t clock_step_ = -1;        ///< that the clock has come to
  std::optional<std::int64_t> clock_end_;
  std::shared_ptr<const ScheduleActions> last_actions_;  ///< once the clock has ended
  std::optional<std::int64_t> last_step_;                ///< once the rank has finished
  bool has_failed_ = false;
  bool is_finished_ = false;
  bool has_left_ = false;  ///< it had finished when the clock went on
  std::int64_t marked_ = -1;
};

/// The feeds of one server, by rank.
using ClientFeeds = std::map<ClientRank, std::unique_ptr<ClientFeed>>;

}  // namespace pileus
