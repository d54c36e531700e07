#pragma once
// The stream of one model rank, from its parcels to contributions and records, on a strand of its own.

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analytics/local_analysis.h"
#include "checkpoint/state_sink.h"
#include "core/error_list.h"
#include "exec/strand.h"
#include "streams/contributions.h"
#include "streams/kept_fields.h"
#include "time/window_set.h"

namespace pileus {

class ClientStream : private StepResults {
 public:
  /// `cuts`: gets the state of its windows exactly once for each step of expect_cut. `continued`: what its
  /// windows go on with; null at the start of a run. `statics`: as in StaticValues.
  /// REQUIRES: what is passed outlives it.
  ClientStream(const Plan& plan, ClientRank client, Executor& workers, ErrorList& errors,
               Contributions& contributions, RecordSink& records, StateSink& cuts,
               const ContinuedWindows* continued = nullptr, const std::vector<KeptStatic>& statics = {});

  /// These are called by the server's lane and return at once.
  void take(Parcel parcel);
  /// What the last step lacks does not come any more.
  void abandon();
  /// Nothing that the model rank sends can be used any more. Whoever waits for it goes on without it.
  void fail(const std::string& why);
  /// The state after this step of the clock is to be kept. Order: before its marker.
  void expect_cut(std::int64_t step);
  /// The model rank has handed over everything up to the end of the step.
  void mark(std::int64_t step);
  /// The model rank has gone on to the step, which is not to be taken yet: steps before it lack nothing.
  void go_on_to(std::int64_t step);
  /// Values of a step that another server has sent to all.
  void settle(std::int64_t step, std::shared_ptr<const BroadcastValues> values);
  /// The model rank has finished; `last_step`: that it handed over, -1 if there was none.
  void finish(std::int64_t last_step);
  /// It has finished, and the run goes on without it: nothing that could still be waited for comes from it.
  void leave();
  /// The clock has come to the step, in which the model rank hands over nothing.
  void pass(std::int64_t step);
  /// It has finished, and the run's clock ended at `clock_step`: what windows hold is emitted, by `actions`.
  void end(std::int64_t last_step, std::int64_t clock_step, std::shared_ptr<const ScheduleActions> actions);

  /// Adds what was spent here, by rule and by variable. To be asked when nothing runs.
  void add_costs(std::vector<Cost>& rules, std::vector<Cost>& variables) const;
  /// The bytes of windows, with those of static fields and of what lags go back to.
  std::size_t window_bytes() const {
    return windows_.most_bytes() + analysis_.statics().size_bytes() + analysis_.lags().size_bytes() +
           analysis_.held().size_bytes();
  }
  /// Names what still waits for other servers. To be called when nothing runs.
  std::vector<std::string> open_texts() const { return analysis_.open_texts(); }

 private:
  void contribute(std::size_t tree, const Step& step, std::unique_ptr<TreeValues> values) override;
  void deal(GroupId group, const Step& step, PointSamples samples) override;
  void regrid(std::size_t group, const Step& step, RegridSamples samples) override;
  void step_done(const StepFacts& facts, const StepValues& values) override;
  void take_now(Parcel& parcel);
  void claim_lent(Parcel& parcel) const;
  void tell_statics(const StepValues& values);
  void give_up(const std::string& why);
  void end_if_through();
  void mark_now(std::int64_t step);
  void keep(std::int64_t step);
  void give_up_unmarked_before(std::int64_t step);
  void keep_no_cuts(const std::string& why);

  const Plan& plan_;
  ClientRank client_;
  ErrorList& errors_;
  Contributions& contributions_;
  RecordSink& records_;
  StateSink& state_;
  KeptFields kept_fields_;
  Strand strand_;  ///< everything below belongs to it
  LocalAnalysis analysis_;
  WindowSet windows_;
  bool has_failed_ = false;
  bool has_finished_ = false;  ///< the model rank has, and begins no later step
  bool is_ending_ = false;     ///< what windows hold is to be emitted once no step waits any more
  std::shared_ptr<const ScheduleActions> last_actions_;  ///< where windows are to be finished
  bool has_ended_ = false;
  std::deque<std::int64_t> cuts_;       ///< that are expected and not kept
  std::size_t marked_ = 0;              ///< of these, from the first
  std::optional<std::string> no_cuts_;  ///< why none can be kept any more
};

}  // namespace pileus
