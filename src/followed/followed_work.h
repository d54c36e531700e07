#pragma once
// What operators that follow their inputs know after each step in one place, a model rank's stream or a root.
// A step takes what was known after the one before, so that steps wait for each other.

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "followed/followed_groups.h"
#include "state/state_entries.h"

namespace pileus {

class FollowedWork {
 public:
  /// `regions`: by value, what the place has. REQUIRES: the plan outlives it.
  FollowedWork(const Plan& plan, std::vector<Region> regions);

  /// Goes on with what a checkpoint has, of rules that `is_here` says are. Order: before the first step.
  void restore(const StateEntries& continued, const std::function<bool(ValueId made)>& is_here);

  bool has(RuleId rule) const { return group_of_[rule.index].has_value(); }
  /// The rule will run in the step, or its result will be absent. Order: by increasing step.
  void expect(RuleId rule, std::int64_t step);
  /// Whether all steps before have done what they were to.
  bool is_turn(RuleId rule, std::int64_t step) const;
  /// What is known after the step. REQUIRES: it is the turn of `moment.step`. Errors: those of the operator.
  std::shared_ptr<const void> known(RuleId rule, const operators::Moment& moment,
                                    const std::vector<operators::Part>& inputs);
  /// The rule has run in the step, or does not run: an input is absent.
  void done(RuleId rule, std::int64_t step);

  /// No state is asked for any more that is before the one after this step. Order: by increasing step.
  void close(std::int64_t step);
  /// What a run needs that continues after the last step that was closed, of rules that `is_ours` says are.
  std::vector<StateEntry> state(const std::function<bool(ValueId made)>& is_ours) const;

 private:
  struct Known {
    std::int64_t step = 0;
    std::shared_ptr<const void> what;
  };
  struct Waiting {
    std::int64_t step = 0;
    std::size_t rules = 0;  ///< that have not run
  };
  struct Group {
    FollowedGroup group;
    std::deque<Known> known;  ///< by step
    std::deque<Waiting> waiting;
  };
  const operators::Followed& followed_of(const Group& group) const {
    return *followed_by(plan_[group.group.rules.front()]);
  }
  void let_go(Group& group) const;

  const Plan& plan_;
  std::vector<Region> regions_;
  std::vector<Group> groups_;
  std::vector<std::optional<std::size_t>> group_of_;  ///< by rule
  std::int64_t closed_ = INT64_MIN;
};

}  // namespace pileus
