#pragma once
// The analysis of what has been reduced to this server: values settle as the trees deliver them, the rules on
// them run, and what goes to all servers leaves as soon as it is there; the steps' values go to the windows
// in the order of the run's clock. One strand calls it.

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "analytics/cuts.h"
#include "analytics/local_analysis.h"
#include "analytics/step_flow.h"
#include "analytics/tree_values.h"

namespace pileus {

class RootAnalysis {
 public:
  /// `kept`: what came with the step.
  using StepDone = std::function<void(const StepFacts&, const StepValues&, const StepBundles& bundles,
                                      const std::shared_ptr<const void>& kept)>;
  /// The values of one distribution of the plan at one step, for all servers.
  using Distribute = std::function<void(std::size_t distribution, std::int64_t step, const BroadcastValues&)>;

  RootAnalysis(const Plan& plan, StepDone step_done, Failed failed = {}, Distribute distribute = {});

  /// Goes on with what a checkpoint has of what rules follow on the server `self`. Order: before the first
  /// step.
  void restore(const StateEntries& continued, ServerRank self);
  /// What a run needs of that which continues after the last step that was closed.
  std::vector<StateEntry> kept(ServerRank self) const;

  /// A step of the run's clock. `kept`: is kept until the step is done.
  /// Order: by increasing step, every step of the run.
  void advance(SharedFacts facts, std::shared_ptr<const void> kept = nullptr);
  /// A tree whose root is this server has all of its contributions for a step.
  void complete(std::size_t tree, std::int64_t step, std::unique_ptr<TreeValues> values);

  /// Calls `at_cut` once all steps until now are closed, before any later one is.
  void cut(std::function<void()> at_cut);

  bool has_open_steps() const { return !steps_.empty(); }
  /// By rule.
  const std::vector<Cost>& costs() const { return runner_.costs(); }

 private:
  struct OpenStep {
    SharedFacts facts;
    std::optional<StepFlow> flow;  ///< once a tree is complete: the clock may be many steps ahead
    std::size_t trees_missing = 0;
    std::vector<std::size_t> distributions_missing = {};  ///< that have not left
    std::shared_ptr<const void> kept = {};
    StepBundles bundles = {};
  };
  StepFlow& flow_of(OpenStep& step);
  void settle(OpenStep& step, std::size_t tree, TreeValues& values);
  void go_on(OpenStep& step);
  bool move_on(OpenStep& step);
  bool distribute_if_settled(const OpenStep& step, std::size_t distribution) const;
  void close_complete_steps();
  std::optional<std::int64_t> first_open() const;

  const Plan& plan_;
  StepDone step_done_;
  Distribute distribute_;
  RuleRunner runner_;
  std::deque<OpenStep> steps_;
  SpareMemory spare_;
  Cuts cuts_;
  std::int64_t clock_step_ = INT64_MIN;
  std::map<std::int64_t, std::map<std::size_t, std::unique_ptr<TreeValues>>> early_;  ///< ahead of the clock
};

}  // namespace pileus
