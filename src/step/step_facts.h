#pragma once
// What one step of the run's clock means on one server: which values are wanted, what model ranks hand over,
// what is reduced, and which samples count in which windows. The server's lane finds it once, in the order of
// the clock. All streams of the server then only read it, and need not ask again which needs a step meets
// (docs/decisions/039).

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "plan/plan.h"
#include "time/schedule_cursors.h"

namespace pileus {

/// What a model rank hands over, and what its server makes of it. Rank 0 has its own facts, and all others
/// share one.
struct ClientFacts {
  std::vector<GroupId> groups;       ///< the groups whose parcels come
  std::vector<RuleId> rules;         ///< the rules that run here, in their order
  std::vector<std::size_t> trees;    ///< the trees that the rank contributes to
  std::vector<ValueId> broadcasts;   ///< values that come from the servers where they were made
  std::vector<std::size_t> regrids;  ///< groups of the plan to which the rank gives what they are made of
  std::vector<ValueId> dealt;        ///< fields on points, which servers deal out before they come
};

/// What follows from the needs that a step meets. A run has few kinds of steps, and its steps share them.
struct StepKind {
  std::vector<bool> is_wanted;  ///< by value
  std::vector<ValueId> fields;  ///< wanted values that are fields of the model
  std::vector<bool> has_tree;   ///< by tree: whether something in it is wanted
  ClientFacts of_rank_zero, of_others;
  std::vector<std::size_t> root_trees;     ///< trees whose root is this server
  std::vector<std::size_t> distributions;  ///< that leave from this server
  std::vector<RuleId> root_rules;          ///< rules whose results have their root on this server, in their
                                           ///< order

  bool wants(ValueId value) const { return is_wanted[value.index]; }
  const ClientFacts& of(ClientRank client) const { return client == 0 ? of_rank_zero : of_others; }
};

struct StepFacts {
  ComponentId component = kOnlyComponent;  ///< whose clock made the step
  Step step;
  double start_time_s = 0;
  std::shared_ptr<const StepKind> kind;
  ScheduleActions actions;
};

using SharedFacts = std::shared_ptr<const StepFacts>;

/// Whether a model rank's values are part of `value`: where it is the same everywhere, only rank 0's are.
bool is_made_by(const Value& value, ClientRank client);

class StepFactsMaker {
 public:
  /// `continued`: where the axes go on; null at the start of a run. REQUIRES: the plan outlives it.
  StepFactsMaker(const Plan& plan, ServerRank self, const ContinuedWindows* continued = nullptr);

  /// `dropped`: the axes that get no record of the step; what they alone need is not made.
  /// Order: every step of the run. Errors: UsageError where one step would end a hundred thousand records.
  SharedFacts advance(const Step& step, double start_time_s, const DroppedAxes& dropped = {});
  /// What to do with the unfinished windows at the end of the run.
  std::shared_ptr<const ScheduleActions> finish();

  /// REQUIRES: a step was shown.
  const NeedTracker& needs() const { return *needs_; }
  const ScheduleCursors& cursors() const { return cursors_; }

 private:
  std::shared_ptr<const StepKind> kind(const DroppedAxes& dropped);
  StepKind made_kind() const;
  ClientFacts client_facts(const StepKind& kind, ClientRank client) const;
  void add_root_facts(StepKind& kind) const;

  const Plan& plan_;
  ServerRank self_;
  std::optional<NeedTracker> needs_;  ///< none before the first step
  ScheduleCursors cursors_;
  /// By need: whether the last step met it, and whether it did so for a record that is not dropped.
  std::vector<bool> sent_, met_;
  /// The kinds of some of the steps so far, by these.
  std::map<std::pair<std::vector<bool>, std::vector<bool>>, std::shared_ptr<const StepKind>> kinds_;
};

}  // namespace pileus
