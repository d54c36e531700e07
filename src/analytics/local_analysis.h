#pragma once
// The analysis of what one model rank hands over: rules run as their inputs arrive; what is to be reduced
// goes up the trees, and what comes back is settled in its step, while later steps arrive; the step's values
// go to the windows in the order of the steps. One strand per client calls it.

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analytics/cuts.h"
#include "analytics/static_values.h"
#include "analytics/step_flow.h"
#include "analytics/tree_values.h"
#include "held/held_values.h"
#include "lags/lag_store.h"

namespace pileus {

class LentArray;

/// One group of fields at one step from one model rank. Its arrays keep the message that brought them.
struct Parcel {
  GroupId group;
  Step step;  ///< as the rank says
  double start_time_s = 0;
  std::vector<std::pair<FieldId, Sample>> fields;  ///< those that are wanted; absent: not put
  /// Results of rules that came in place of a field, of which nothing else is needed.
  std::vector<std::pair<ValueId, Sample>> made = {};
  SharedFacts facts = {};  ///< of the step, once the clock has come to it
  /// By place in `fields`: what is to be claimed before its array is read (streams/lent_array.h).
  std::vector<std::pair<std::size_t, std::shared_ptr<LentArray>>> lent = {};
};

/// Values of one step that come from elsewhere than the rank: those that one server has sent to all, by the
/// result of their broadcasts, and fields on points that servers have dealt out.
using BroadcastValues = std::vector<std::pair<ValueId, Sample>>;

/// Gets what servers that exchanged points have brought to one model rank's stream; on any thread.
class SettledPoints {
 public:
  virtual void settle(ClientRank client, std::int64_t step,
                      std::shared_ptr<const BroadcastValues> values) = 0;

  virtual ~SettledPoints() = default;
};

/// What a rank has of the input of a regridding, and of the latitude and longitude of its points, if these
/// are to be compared.
struct RegridSample {
  RuleId rule;
  Sample value;
  std::vector<Sample> places = {};
};
/// Of one group of regriddings in one step, those that are wanted, in the order of the group.
using RegridSamples = std::vector<RegridSample>;

/// What a rank hands over of the fields on points of one group in one step, in the order of the group.
using PointSamples = std::vector<std::pair<FieldId, Sample>>;

/// Takes what the steps of one model rank become.
class StepResults {
 public:
  /// Values for one tree; exactly once for each tree that is wanted at the step, but only from rank 0 for a
  /// tree that takes rank 0's.
  virtual void contribute(std::size_t tree, const Step& step, std::unique_ptr<TreeValues> values) = 0;
  /// The fields on points of a group, which come back as they are dealt out. Exactly once for each group that
  /// has wanted ones in the step. Order: of a group, by increasing step.
  virtual void deal(GroupId group, const Step& step, PointSamples samples) = 0;
  /// What a group of regriddings is made of; the results come back. Exactly once for each group that has
  /// wanted ones in the step. Order: any; a step may wait for what a later one does not want.
  virtual void regrid(std::size_t group, const Step& step, RegridSamples samples) = 0;
  /// All values of a complete step, by ValueId. Order: by increasing step.
  virtual void step_done(const StepFacts& facts, const StepValues& values) = 0;

  virtual ~StepResults() = default;
};

class LocalAnalysis {
 public:
  /// `failed`: is told of what rules cannot do; the log by default. `kept`: static fields of the run before,
  /// where this one continues another; `continued`: what else the run before has kept. REQUIRES: the plan and
  /// `results` outlive it.
  LocalAnalysis(const Plan& plan, ClientRank client, StepResults& results, Failed failed = {},
                std::vector<KeptStatic> kept = {}, const StateEntries* continued = nullptr);

  /// Order: parcels of one step come one after the other, steps by increasing index. REQUIRES: it has facts.
  /// Errors: TransportError when a parcel comes that is not expected, or a step ends before all of its
  /// parcels came. UsageError when a static field is not what the run before had of it.
  void take(Parcel parcel);
  /// Values that were sent to all or dealt out, before or after the step's parcels; those of other steps
  /// count for nothing. Errors: those of take() where a static field comes.
  void settle(std::int64_t step, const BroadcastValues& values);
  /// The rank hands over nothing in the step, nor in any before it that has not begun.
  void pass(std::int64_t step);
  /// The parcels that the last step lacks will not come: what needs them is absent, and step_done is not
  /// called for it.
  void abandon_last_step();
  /// Values that come from elsewhere do not come any more: they are absent in all open steps.
  void abandon_settling();
  /// No later step begins any more: what has come for such steps is let go.
  void end_after_last_step() { early_.clear(); }
  /// Everything of the steps up to `step` has come: calls `at_cut` once they are closed, before any later one
  /// is. Order: with the parcels. Errors: TransportError when parcels of the last step lack.
  void cut(std::int64_t step, std::function<void()> at_cut);
  /// No cut is called any more.
  void drop_cuts() { cuts_.drop_all(); }

  /// What has come of static fields.
  const StaticValues& statics() const { return statics_; }
  /// What lags go back to.
  const LagStore& lags() const { return lags_; }
  /// What holds of fields that change seldom.
  const HeldValues& held() const { return held_; }
  /// What a run needs of earlier steps that continues after the last step that was closed.
  std::vector<StateEntry> kept() const;

  /// The last step of which a parcel came; -1 if there was none.
  std::int64_t last_step() const { return last_step_; }
  /// The last step of which everything came; -1 if there was none.
  std::int64_t last_complete_step() const { return last_complete_step_; }
  /// Whether the last step lacks parcels.
  bool has_open_step() const { return !open_.empty() && !open_.back().groups_missing.empty(); }
  /// Whether some step still waits for parcels or for what other servers send.
  bool is_waiting() const { return !open_.empty(); }
  /// "step 12 of model rank 3 waits for "w_mean"", one for each step that waits for other servers.
  std::vector<std::string> open_texts() const;
  /// By rule.
  const std::vector<Cost>& costs() const { return runner_.costs(); }

 private:
  struct OpenStep {
    SharedFacts facts;
    StepFlow flow;
    std::vector<GroupId> groups_missing;       ///< whose parcels are still to come
    std::vector<std::size_t> trees_missing;    ///< to which nothing was contributed yet
    std::vector<std::size_t> regrids_missing;  ///< likewise
    std::vector<ValueId> broadcasts_missing;   ///< and fields on points
    std::vector<std::size_t> lags_missing;     ///< of the store, which have not taken what the step has
    bool is_abandoned = false;
  };

  void open(const Parcel& parcel);
  void go_on(OpenStep& step);
  bool take_for_lags(OpenStep& step);
  bool move_on(OpenStep& step);
  bool is_dealt_in(const OpenStep& step, FieldId field) const;
  void deal(const OpenStep& step, GroupId group, PointSamples came);
  void settle_in(OpenStep& step, ValueId value, const Sample& sample);
  bool contribute_if_settled(OpenStep& step, std::size_t tree);
  std::unique_ptr<TreeValues> contribution(const OpenStep& step, std::size_t tree);
  bool regrid_if_settled(const OpenStep& step, std::size_t group);
  void close_complete_steps();
  std::optional<std::int64_t> first_open() const;

  const Plan& plan_;
  ClientRank client_;
  StepResults& results_;
  RuleRunner runner_;
  std::vector<FieldId> static_fields_;
  std::optional<LocalSweeps> sweeps_;
  StaticValues statics_;
  LagStore lags_;
  HeldValues held_;
  std::vector<std::size_t> elements_;  ///< by tree: columns of the last contribution, to ask for them at once
  std::set<FieldId> statics_on_their_way_;  ///< on points: later steps wait for them as the first does
  std::deque<OpenStep> open_;
  SpareMemory spare_;
  Cuts cuts_;
  std::map<std::int64_t, BroadcastValues> early_;  ///< of steps of which no parcel has come
  std::int64_t last_step_ = -1;
  std::int64_t passed_through_ = -1;  ///< no step up to here begins any more
  std::int64_t last_complete_step_ = -1;
};

}  // namespace pileus
