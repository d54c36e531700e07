#pragma once
// The analysis of what one model rank hands over: rules run as their inputs arrive; what is to be reduced
// goes up the trees; the step's values go to the windows. One strand per client calls it.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analytics/rule_runner.h"
#include "analytics/tree_values.h"

namespace pileus {

/// One group of fields at one step from one model rank. Its arrays keep the message that brought them.
struct Parcel {
  GroupId group;
  Step step;
  double start_time_s = 0;
  std::vector<std::pair<FieldId, Sample>> fields;  ///< those that are wanted; absent: not put
};

class LocalAnalysis {
 public:
  struct Hooks {
    /// Values for one tree; exactly once for each tree that is wanted at the step, but only from rank 0 for
    /// a tree that takes rank 0's.
    std::function<void(std::size_t tree, const Step&, std::unique_ptr<TreeValues>)> contribute;
    /// All values of a complete step, by ValueId.
    std::function<void(const Step&, double start_time_s, const StepValues&)> step_done;
    Failed failed = {};
  };

  LocalAnalysis(const Plan& plan, ClientRank client, Hooks hooks);

  /// Order: parcels of one step come one after the other, steps by increasing index.
  /// Errors: TransportError when a parcel comes that is not expected, or a step ends before all of its
  /// parcels came.
  void take(Parcel parcel);

  /// The last step of which everything came; -1 if there was none.
  std::int64_t last_complete_step() const { return last_step_; }
  bool has_open_step() const { return open_.has_value(); }
  /// By rule.
  const std::vector<Cost>& costs() const { return runner_.costs(); }

 private:
  struct OpenStep {
    Step step;
    double start_time_s;
    StepValues values;
    std::vector<bool> has_run;            ///< by position in local_rules_
    std::vector<GroupId> groups_missing;  ///< whose parcels are still to come
  };

  bool is_local(ValueId value) const;
  bool is_wanted(ValueId value) const { return tracker_->is_any_met(plan_[value].needs); }
  bool is_expected(const PlannedGroup& group) const;
  void open(const Parcel& parcel);
  void run_ready_rules();
  void close();

  const Plan& plan_;
  ClientRank client_;
  Hooks hooks_;
  RuleRunner runner_;
  std::vector<RuleId> local_rules_;
  std::optional<NeedTracker> tracker_;
  std::optional<OpenStep> open_;
  std::int64_t last_step_ = -1;
  std::vector<bool> is_settled_;  ///< by value, in the open step: there, or known to be absent
};

}  // namespace pileus
