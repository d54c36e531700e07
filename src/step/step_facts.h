#pragma once
// What one step of the run's clock means on one server: which values are wanted, what model ranks hand over,
// what is reduced, which samples count in which windows. It is found once, on the server's lane and in the
// order of the clock, and then only read, by all streams of the server, none of which asks again which needs
// a step meets (docs/decisions/039).

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "plan/plan.h"
#include "time/schedule_cursors.h"

namespace pileus {

/// What a model rank hands over, and what its server makes of it. Rank 0 has its own, all others share one.
struct ClientFacts {
  std::vector<GroupId> groups;      ///< whose parcels come
  std::vector<RuleId> rules;        ///< that run here, in their order
  std::vector<std::size_t> trees;   ///< to which the rank contributes
  std::vector<ValueId> broadcasts;  ///< that come from the server where they were made
};

/// What follows from the needs that a step meets. A run has few kinds of steps, which its steps share.
struct StepKind {
  std::vector<bool> is_wanted;  ///< by value
  std::vector<ValueId> fields;  ///< wanted values that are fields of the model
  std::vector<bool> has_tree;   ///< by tree: something in it is wanted
  ClientFacts of_rank_zero, of_others;
  std::vector<std::size_t> root_trees;     ///< whose root is this server
  std::vector<std::size_t> distributions;  ///< that leave from this server
  std::vector<RuleId> root_rules;          ///< of values whose root is this server, in their order

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

/// Whether a model rank's own values make up `value`: rank 0 alone stands for what is the same everywhere.
bool is_made_by(const Value& value, ClientRank client);

class StepFactsMaker {
 public:
  /// `continued`: where the axes go on; null at the start of a run. REQUIRES: the plan outlives it.
  StepFactsMaker(const Plan& plan, ServerRank self, const ContinuedWindows* continued = nullptr);

  /// Order: every step of the run. Errors: UsageError where one step would end a hundred thousand records.
  SharedFacts advance(const Step& step, double start_time_s);
  /// The end of the run: what is to be done with the windows in progress.
  std::shared_ptr<const ScheduleActions> finish();

  /// REQUIRES: a step was shown.
  const NeedTracker& needs() const { return *needs_; }
  const ScheduleCursors& cursors() const { return cursors_; }

 private:
  std::shared_ptr<const StepKind> kind();
  StepKind made_kind() const;
  ClientFacts client_facts(const StepKind& kind, ClientRank client) const;
  void add_root_facts(StepKind& kind) const;

  const Plan& plan_;
  ServerRank self_;
  std::optional<NeedTracker> needs_;  ///< none before the first step
  ScheduleCursors cursors_;
  std::vector<bool> met_;                                               ///< by need, of the last step
  std::map<std::vector<bool>, std::shared_ptr<const StepKind>> kinds_;  ///< some of those that there were
};

}  // namespace pileus
