#pragma once
// The stream of values that are reduced to this server, from complete trees to records. Rules on reduced
// values run in it, and their windows fill. It has a strand of its own.

#include <cstdint>
#include <memory>
#include <vector>

#include "analytics/root_analysis.h"
#include "checkpoint/state_sink.h"
#include "core/error_list.h"
#include "exec/strand.h"
#include "streams/distributions.h"
#include "streams/open_steps.h"
#include "time/window_set.h"

namespace pileus {

class RootStream {
 public:
  /// `continued`: what its windows go on with; null at the start of a run. REQUIRES: what is passed outlives
  /// it.
  RootStream(const Plan& plan, ServerRank self, Executor& workers, ErrorList& errors, RecordSink& records,
             StateSink& cuts, Distributions& distributions, const ContinuedWindows* continued);

  /// The calls that follow return at once. The clock's come from the server's lane, those of trees from any
  /// thread.
  void advance(const SharedFacts& facts, const StepHold& hold);
  /// A tree has all that is contributed to the step.
  void complete(std::size_t tree, std::int64_t step, std::unique_ptr<TreeValues> values);
  /// `actions`: what is to be done with the windows in progress.
  void end_clock(std::shared_ptr<const ScheduleActions> actions);

  /// The calls that follow are to be made when nothing runs.
  bool has_open_steps() const { return analysis_.has_open_steps(); }
  /// The costs of each rule.
  const std::vector<Cost>& rule_costs() const { return analysis_.costs(); }
  void add_window_costs(std::vector<Cost>& variables) const { windows_.add_costs(variables); }
  std::size_t window_bytes() const { return windows_.most_bytes(); }

 private:
  void tell_statics(const StepValues& values) const;
  void keep(std::int64_t step);
  void finish_if_over();

  const Plan& plan_;
  ServerRank self_;
  RecordSink& records_;
  StateSink& cuts_;
  Strand strand_;  ///< everything below belongs to it
  WindowSet windows_;
  RootAnalysis analysis_;
  std::shared_ptr<const ScheduleActions> last_actions_;  ///< once the clock has ended and until windows have
};

}  // namespace pileus
