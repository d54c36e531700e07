#pragma once
// All windows that one stream of samples feeds: the parts that one model rank holds, or what a root has.
// Takes the values of a step, gives Records. One strand calls it.

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "core/cost.h"
#include "time/continued_windows.h"
#include "time/record.h"
#include "time/record_sink.h"
#include "time/schedule_cursors.h"
#include "time/window.h"
#include "time/window_bundle.h"

namespace pileus {

class WindowSet {
 public:
  /// `regions`: by value, the parts that this stream has. `client`: whose records these are, for `records`.
  /// `failed`: is told of a variable's first record without a value; the log by default. `continued`: what
  /// the windows go on with; null at the start of a run. Errors: TransportError if that is damaged.
  /// REQUIRES: the plan and `records` outlive it.
  WindowSet(const Plan& plan, std::vector<VariableId> variables, std::vector<Region> regions,
            ClientRank client, RecordSink& records, std::function<void(const std::string&)> failed = {},
            const ContinuedWindows* continued = nullptr);

  /// Tells whether the stream feeds no variable at all.
  bool are_none() const { return axes_.empty(); }

  /// `values`: by ValueId. `ballast`: what the step's records hold in memory until they are written, so that
  /// their senders wait for a slow disk. Order: by increasing step; every step that has actions for variables
  /// of this stream.
  /// `bundles`: the values of bundles, which are not in `values`.
  void advance(const ScheduleActions& actions, std::span<const Sample> values,
               const std::shared_ptr<const void>& ballast = nullptr, const StepBundles& bundles = {});
  /// The end of the run: emits what the windows in progress hold.
  void finish(const ScheduleActions& actions);

  /// The states of the windows after all steps until now.
  std::vector<StateEntry> state() const;

  /// Adds what the windows of each variable cost to `costs`, which is by variable.
  void add_costs(std::vector<Cost>& costs) const;
  /// The most memory that all windows together may have held at once.
  std::size_t most_bytes() const;

 private:
  /// What a record holds that waited for a trigger: when it is written, what came into its place meanwhile is
  /// the only copy.
  struct Waited {
    std::shared_ptr<const void> of_record;
    std::vector<std::shared_ptr<const void>> of_samples_after;
  };
  /// A window in progress.
  struct Open {
    std::unique_ptr<Window> window;
    std::weak_ptr<Waited> released = {};  ///< of samples that wait for a trigger: that of the last record
    bool is_spoilt = false;               ///< a sample failed half way
    std::int64_t absent_samples = 0;
  };
  struct Fed {
    VariableId variable;
    /// One, or of a chain one for each stage; where the last one is running, all that are under way of it. Of
    /// a diurnal composite, which may be the last stage, one for each part of the day. Behind that of an
    /// instant those of instants that wait for a trigger.
    std::vector<Open> windows;
    std::size_t last_stage = 0;             ///< where those of the last stage begin
    const Sample* first_of_pair = nullptr;  ///< of the step
    bool is_in_bins = false;                ///< a sample goes into one of them alone
    bool has_failed = false;
    Cost cost;
  };
  /// Those of an axis whose values are one bundle.
  struct Bundled {
    std::size_t bundle = 0;            ///< of the plan
    std::vector<std::size_t> members;  ///< places among the variables of the axis
    std::unique_ptr<WindowBundle> windows;
  };
  struct Axis {
    ScheduleId schedule;
    std::vector<Fed> variables;
    std::vector<Bundled> bundles;
    std::vector<std::size_t> alone;  ///< the other variables
  };
  const Region& region_of(VariableId variable) const { return regions_[plan_[variable].value.index]; }
  const Region& region_of_samples(VariableId variable) const {
    return regions_[plan_[variable].sampled().index];
  }
  void make_bundles(Axis& axis);
  void make_windows(Fed& fed) const;
  void restore(const ContinuedWindows& continued);
  static std::vector<std::optional<WindowState>> states_in_bundles(const Axis& axis);
  static std::span<Open> windows_of(Fed& fed, std::size_t stage);
  void add(Fed& fed, SampleTime time, const Sample& sample);
  void add(Open& open, Fed& fed, SampleTime time, const Sample& sample);
  void pass_on(Fed& fed, const SampleAction& action);
  void feed(Fed& fed, const SampleAction& action, const Sample& sample,
            const std::shared_ptr<const void>& ballast, Records& records);
  void feed(Axis& axis, Bundled& bundled, const SampleAction& action, const BundleValues& values,
            const std::shared_ptr<const void>& ballast, Records& records);
  void add(Axis& axis, Bundled& bundled, SampleTime time, const BundleValues& values);
  void add_records(Axis& axis, Bundled& bundled, const RecordMark& mark,
                   const std::shared_ptr<const void>& ballast, Records& records);
  static void keep(Open& open, const std::shared_ptr<const void>& ballast);
  void spoil(Fed& fed, Open& open);
  std::optional<Array> take_record(Fed& fed, Open& open, double period_s);
  void end(Fed& fed, const SampleAction& action, const std::shared_ptr<const void>& ballast,
           Records& records);

  const Plan& plan_;
  std::vector<Region> regions_;  ///< by value
  ClientRank client_;
  RecordSink& records_;
  std::function<void(const std::string&)> failed_;
  std::vector<Axis> axes_;
};

}  // namespace pileus
