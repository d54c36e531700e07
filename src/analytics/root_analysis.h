#pragma once
// The analysis of what has been reduced to this server: when all of its trees have delivered a step, the
// rules on their results run, and the values go to the windows, in the order of the run's clock. One strand
// calls it.

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "analytics/rule_runner.h"
#include "analytics/tree_values.h"

namespace pileus {

class RootAnalysis {
 public:
  using StepDone = std::function<void(const Step&, double start_time_s, const StepValues&)>;

  RootAnalysis(const Plan& plan, ServerRank self, StepDone step_done, Failed failed = {});

  /// A step of the run's clock. Order: by increasing step, every step of the run.
  void advance(const Step& step, double start_time_s);
  /// A tree whose root is this server has all of its contributions for a step.
  void complete(std::size_t tree, std::int64_t step, std::unique_ptr<TreeValues> values);

  bool has_open_steps() const { return !steps_.empty(); }
  /// By rule.
  const std::vector<Cost>& costs() const { return runner_.costs(); }

 private:
  struct OpenStep {
    Step step;
    double start_time_s;
    NeedTracker needs;
    std::size_t trees_missing = 0;
  };
  bool is_tree_wanted(std::size_t tree, const NeedTracker& needs) const;
  void run_complete_steps();
  void run(const OpenStep& step);

  const Plan& plan_;
  StepDone step_done_;
  RuleRunner runner_;
  std::vector<std::size_t> trees_;    ///< whose root is this server
  std::vector<RuleId> rooted_rules_;  ///< on values whose root is this server
  std::optional<NeedTracker> tracker_;
  std::deque<OpenStep> steps_;
  std::map<std::int64_t, std::map<std::size_t, std::unique_ptr<TreeValues>>> arrived_;
};

}  // namespace pileus
