#pragma once
// What one model rank sends, from its parcels to contributions and records, on a strand of its own.

#include <cstdint>
#include <functional>
#include <memory>

#include "analytics/local_analysis.h"
#include "exec/strand.h"
#include "server/error_list.h"
#include "time/window_set.h"

namespace pileus {

class ClientStream {
 public:
  struct Hooks {
    std::function<void(std::size_t tree, std::int64_t step, std::unique_ptr<TreeValues>)> contribute;
    std::function<void(Record)> record;
    std::function<void(std::int64_t last_step)> finished;  ///< after the last contribution
    std::function<void()> ended;                           ///< after the last record
  };
  ClientStream(const Plan& plan, ClientRank client, Executor& workers, ErrorList& errors, Hooks hooks);

  /// These are called by the server's lane and return at once.
  void take(Parcel parcel);
  /// Nothing that the model rank sends can be used any more: what waits for it goes on without it.
  void fail(const std::string& why);
  /// Values of a step that another server has sent to all.
  void settle(std::int64_t step, std::shared_ptr<const BroadcastValues> values);
  /// The model rank has finished; `last_step`: that it handed over, -1 if there was none.
  void finish(std::int64_t last_step);
  /// It has finished, and the run goes on without it: nothing that could still be waited for comes from it.
  void leave();
  /// It has finished, and the run's clock ended at `clock_step`: what windows hold is emitted.
  void end(std::int64_t last_step, std::int64_t clock_step);

  /// Adds what was spent here, by rule and by variable. To be asked when nothing runs.
  void add_costs(std::vector<Cost>& rules, std::vector<Cost>& variables) const;
  /// What still waits for other servers, to be asked when nothing runs.
  std::vector<std::string> open_texts() const { return analysis_.open_texts(); }

 private:
  void take_now(Parcel& parcel);
  void give_up(const std::string& why);
  void end_if_through();

  const Plan& plan_;
  ClientRank client_;
  ErrorList& errors_;
  Hooks hooks_;
  Strand strand_;  ///< everything below belongs to it
  LocalAnalysis analysis_;
  WindowSet windows_;
  bool has_failed_ = false;
  bool is_ending_ = false;  ///< what windows hold is to be emitted once no step waits any more
  bool finishes_windows_ = true;
  bool has_ended_ = false;
};

}  // namespace pileus
