#pragma once
// The analysis side of one server, which follows the run's clock: the feeds of its model ranks, the trees,
// the stream of what is rooted here, the cuts. Called by the server's lane, which it never holds up.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/continuation.h"
#include "streams/client_feed.h"
#include "streams/dealings.h"
#include "streams/distributions.h"
#include "streams/regrids.h"
#include "streams/root_stream.h"
#include "streams/stream_cuts.h"
#include "streams/trees.h"

namespace pileus {

class Analysis {
 public:
  /// `defers`: what is reduced between servers travels when a record needs it; otherwise at every step.
  /// REQUIRES: all that is passed outlives it, and no task runs when it goes.
  /// `continued`: what it goes on with; null at the start of a run.
  Analysis(const Plan& plan, ServerRank self, Executor& workers, Messages& messages, ErrorList& errors,
           bool defers, RecordSink& records, StateSink& state, const Continuation* continued = nullptr);

  /// What comes ahead of the clock may be laid aside. REQUIRES: `spilling` outlives it.
  void lay_early_aside(const Spilling& spilling);
  /// Something that was laid aside may be in memory again.
  void go_on();

  /// Order: before the first step. `points`: null where no field lies on any.
  void begin_dealing(std::shared_ptr<const PointDirectory> points) { dealings_.begin(std::move(points)); }
  /// Order: before the first step. `links`: null where nothing is regridded.
  void begin_regridding(std::shared_ptr<RegridDirectory> links) { regrids_.begin(std::move(links)); }

  /// Takes what a model rank of this server sends. Errors: TransportError when the rank is another server's.
  void take(ClientRank client, Arrival arrival);
  void take_marker(ClientRank client, std::int64_t step);
  /// `last_step`: that it handed over, -1 if there was none.
  void finish_client(ClientRank client, std::int64_t last_step);

  /// The run's clock: one step, or its end after `last_step`. `hold`: what is held of the step holds it too.
  /// `dropped`: the axes that get no record of it.
  void advance(const Step& step, double start_time_s, const StepHold& hold = nullptr,
               const DroppedAxes& dropped = {});
  void end_clock(std::int64_t last_step);
  /// What the last step of the clock means to each axis; null where there was none.
  const ScheduleActions* actions() const { return last_facts_ ? &last_facts_->actions : nullptr; }
  /// The clock waits until less is held of its steps: what waits for a record leaves now.
  void hurry() { trees_.hurry(clock_step_); }

  /// A frame of the kind reduction.
  void take_reduction(ServerRank from, Decoder& in, std::shared_ptr<const void> message);
  /// A frame of the kind distribution.
  void take_distribution(ServerRank from, Decoder& in);
  /// A frame of the kind points.
  void take_points(ServerRank from, Decoder& in, std::shared_ptr<const void> message);

  /// A frame of the kind regrid.
  void take_regridded(ServerRank from, Decoder& in, std::shared_ptr<const void> message);

  /// The run is stopped: all that comes is dropped, and what waits for the clock.
  void stop();

  /// Sentences about what the run does not go on with, or begins afresh.
  std::vector<std::string> continuation_warnings() const {
    return continued_ ? continued_->warnings() : std::vector<std::string>();
  }
  /// The last step of the clock up to which all model ranks of this server have handed over what is due.
  std::int64_t sent_through() const;
  /// Says why the analysis does not go on. Some waits are told at once, others by strands later.
  void tell_waits(const std::shared_ptr<Waits>& waits);

  /// The calls that follow are to be made when nothing runs. The first names what still waits.
  std::vector<std::string> open_texts() const;
  /// The costs of each rule, each tree of reductions and each variable's windows on this server, with their
  /// names.
  std::vector<std::pair<std::string, Cost>> costs() const;
  /// The most that windows held here.
  std::size_t window_bytes() const;

 private:
  ClientFeed& feed_of(ClientRank rank) const;
  void begin_cut(std::int64_t step);
  void tell_model_waits(Waits& waits) const;

  const Plan& plan_;
  std::optional<ContinuedWindows> continued_;
  StepFactsMaker facts_;
  bool keeps_clock_;  ///< server 0 keeps for all where the clock has brought needs and axes
  ClientFeeds feeds_;
  std::vector<ClientFeed*> feed_of_rank_;  ///< null where the rank is another server's
  StreamCuts cuts_;
  Distributions distributions_;
  RootStream root_;
  Trees trees_;
  Dealings dealings_;
  Regrids regrids_;
  bool is_stopped_ = false;
  bool has_clock_ended_ = false;
  SharedFacts last_facts_;
  std::int64_t clock_step_ = -1;  ///< that the clock has come to
};

}  // namespace pileus
