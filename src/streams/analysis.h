#pragma once
// The analysis side of one server: the streams of its clients, its place in every tree, the results that are
// rooted here. Called by the server's lane, which it never holds up.

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "analytics/root_analysis.h"
#include "checkpoint/continuation.h"
#include "core/error_list.h"
#include "messaging/active_reduction.h"
#include "messaging/messages.h"
#include "step/step_facts.h"
#include "streams/client_steps.h"
#include "streams/client_stream.h"
#include "streams/deferral.h"
#include "streams/open_steps.h"
#include "watch/waits.h"

namespace pileus {

class Analysis {
 public:
  struct Hooks {
    std::function<void(Records, ClientRank)>
        records;  ///< thread-safe; the client means something if it is distributed
    std::function<void(ClientRank)> stream_ended;  ///< thread-safe; after the client's last record
    Kept kept = {};
    /// What stands in files without a time axis, as static_record makes it; as `record`.
    std::function<void(Record, ClientRank)> static_record = {};
  };

  /// `defers`: what is reduced between servers travels when a record needs it; otherwise at every step.
  /// REQUIRES: all that is passed outlives it, and no task runs when it goes.
  /// `continued`: what it goes on with; null at the start of a run.
  Analysis(const Plan& plan, ServerRank self, Executor& workers, Messages& messages, ErrorList& errors,
           bool defers, Hooks hooks, const Continuation* continued = nullptr);

  /// Waits for the clock to come to the parcel's step, so that what is not the run's step never counts.
  void take(ClientRank client, Parcel parcel);
  /// A client has handed over everything up to the end of a step whose state is kept.
  void take_marker(ClientRank client, std::int64_t step);
  /// A client has finished; `last_step`: that it handed over, -1 if there was none.
  void finish_client(ClientRank client, std::int64_t last_step);
  /// The run's clock: one step, or its end after `last_step`. `hold`: what is kept of the step keeps it.
  void advance(const Step& step, double start_time_s, StepHold hold = nullptr);
  void end_clock(std::int64_t last_step);
  /// The clock waits until what is kept of its steps is less: what waits for a record leaves now.
  void hurry();
  /// A frame of the kind reduction.
  void take_reduction(ServerRank from, Decoder& in, std::shared_ptr<const void> message);

  /// A frame of the kind distribution.
  void take_distribution(Decoder& in);

  /// The run is stopped: all that comes is dropped, and what waits for the clock.
  void stop();

  /// What the run does not go on with, or begins afresh.
  std::vector<std::string> continuation_warnings() const {
    return continued_ ? continued_->warnings() : std::vector<std::string>();
  }
  /// What still waits, to be asked when nothing runs.
  std::vector<std::string> open_texts() const;
  /// What keeps it from going on, at any time: some is said at once, some by strands later.
  void tell_waits(const std::shared_ptr<Waits>& waits);
  /// What each rule, each tree of reductions and each variable's windows took here, by what they are called.
  /// To be asked when nothing runs.
  std::vector<std::pair<std::string, Cost>> costs() const;
  /// The most that windows kept here, likewise.
  std::size_t window_bytes() const;

 private:
  struct Branch {
    TreePlace place;
    std::size_t contributors = 0;
    std::unique_ptr<ActiveReduction> reduction;
    std::unique_ptr<Strand> strand;
    bool is_deferred = false;
    std::string fields;  ///< of the model, behind what travels
    Cost cost;           ///< belongs to the strand, as what follows
    TreeProgress progress;
    std::map<std::int64_t, StepHold> open;  ///< steps that are not complete here
    Bytes batch;                            ///< a frame of the steps that are complete here and have not left
    std::vector<StepHold> in_batch;
    std::deque<std::int64_t> due;  ///< the batch leaves when all steps up to the first of these are in it
  };
  struct Marker {
    std::int64_t step;
  };
  struct Client {
    explicit Client(ClientRank rank) : steps(rank) {}
    std::unique_ptr<ClientStream> stream;
    ClientSteps steps;
    std::deque<std::variant<Parcel, Marker>> early;  ///< of steps that the clock has not come to
    std::optional<std::int64_t> last_step;           ///< once it has finished
    bool has_failed = false;
    bool is_finished = false;
    bool has_left = false;     ///< it had finished when the clock went on
    std::int64_t marked = -1;  ///< the last step whose end it has marked
  };
  Branch make_branch(std::size_t tree);
  Client& client_of(ClientRank rank);
  void send_batch(std::size_t tree);
  void send_batch_if_due(std::size_t tree);
  void tell_model_waits(Waits& waits);
  void tell_branch_waits(std::size_t tree, const std::shared_ptr<Waits>& waits);
  void tell_cut_waits(const std::shared_ptr<Waits>& waits);
  std::string lacking(const Branch& branch, std::int64_t step,
                      const std::map<ClientRank, std::int64_t>& sent_through) const;
  ActiveReduction::Hooks reduction_hooks(std::size_t tree);
  ClientStream::Hooks stream_hooks(ClientRank client);
  void distribute(std::size_t distribution, std::int64_t step, const BroadcastValues& values);
  void pass_on(std::size_t distribution, const Bytes& frame);
  void hand_to_clients(std::int64_t step, const BroadcastValues& values);
  void go_ahead(Client& client) const;
  void hand_on(Client& client, Parcel parcel);
  void hand_on(Client& client, Marker marker);
  static std::int64_t step_of(const std::variant<Parcel, Marker>& early);
  void begin_cut(std::int64_t step);
  void keep_root(std::int64_t step);
  void follow_groups(const StepFacts& facts);
  void go_on_with(ClientRank rank, Client& client, const SharedFacts& facts, const StepHold& hold);
  void expect(ClientRank rank, Client& client, const SharedFacts& facts, const StepHold& hold);
  void go_on_with(std::size_t tree, const StepFacts& facts, bool is_due, const StepHold& hold);
  void tell_statics_of_root(const StepValues& values) const;
  void add_to_cut(std::int64_t step, std::vector<StateEntry> entries, std::string error);
  static void fail_if(Client& client, const std::string& wrong);
  void finish_if_over(Client& client);
  void finish_root_if_over();

  const Plan& plan_;
  ServerRank self_;
  Messages& messages_;
  ErrorList& errors_;
  Hooks hooks_;
  std::optional<ContinuedWindows> continued_;
  StepFactsMaker facts_;  ///< belongs to the lane
  Deferral deferral_;
  bool defers_;
  std::vector<Branch> branches_;          ///< by tree
  std::map<ClientRank, Client> clients_;  ///< of this server
  std::vector<Client*> client_of_rank_;   ///< by rank; null: of another server
  bool is_stopped_ = false;
  std::int64_t clock_step_ = -1;  ///< that the clock has come to
  std::optional<std::int64_t> clock_end_;
  std::shared_ptr<const ScheduleActions> last_actions_;  ///< once the clock has ended
  std::vector<std::optional<double>> previous_times_s_;  ///< by group, on server 0, which keeps them for all

  /// What is being kept of one step.
  struct Cut {
    std::size_t missing = 0;  ///< streams, and the root
    std::vector<StateEntry> entries;
    std::string error;
  };
  Strand cuts_strand_;
  std::map<std::int64_t, Cut> cuts_;  ///< by step; belongs to that strand

  Strand root_strand_;  ///< what follows belongs to it
  WindowSet root_windows_;
  RootAnalysis root_;
  bool has_clock_ended_ = false;
  bool is_root_over_ = false;
};

}  // namespace pileus
