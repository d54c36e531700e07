#pragma once
// The gate says which step the clock may come to, so that what servers hold of steps, beside parcels as they
// came, stays within their memory. Server 0 has it, as everything that is made of a step anywhere waits for
// its clock. What a step takes is said by the Plan (step_costs.h), and counts until its server is done with
// the step. A step that nobody is behind with is always let through, so the lowest one never waits for
// memory. Where servers are behind and files say so, a step passes without its records.

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/step.h"
#include "server/gate/memory_account.h"
#include "server/gate/record_choice.h"

namespace pileus {

class StepGate {
 public:
  /// REQUIRES: the plan outlives it.
  StepGate(const Plan& plan, const RunMemory& memory);

  /// The step that asks next; again where it failed. REQUIRES: the one before it was let through.
  void ask(const Step& step, double start_time_s);
  /// Lets it through if there is memory. After a refusal, half of each server's must be free first, so that
  /// what servers are asked to hurry for is more than one step. `left_out`: axes that get no record of it in
  /// any case. REQUIRES: a step asks.
  bool lets_through(const DroppedAxes& left_out = {});
  /// The axes beside these that get no record of the step that was let through last. To be asked once.
  DroppedAxes take_dropped() { return std::move(dropped_); }
  /// What servers are done with. Errors: TransportError where it cannot be.
  void take_done(std::span<const StepsDone> news) { account_.take_done(news); }
  /// Lets everything through from now on.
  void open_for_good() { is_open_ = true; }

  /// A server that had no memory for a step, as servers are behind: from that step on, until one passes at
  /// once and servers have caught up.
  const std::optional<ServerRank>& overloaded() const { return overloaded_; }

 private:
  MemoryAccount::Cost cost_of(const std::vector<bool>& is_met, const std::vector<bool>& is_made);

  const Plan& plan_;
  StepCosts costs_;
  ParcelCosts parcels_;
  MemoryAccount account_;
  RecordChoice choice_;
  std::optional<NeedTracker> tracker_;
  Step step_;                 ///< that asks
  std::vector<bool> is_met_;  ///< by need, in that step
  DroppedAxes dropped_;
  std::optional<ServerRank> overloaded_;
  std::int64_t last_asked_ = -1;
  bool was_refused_ = false;
  bool was_hindered_ = false;  ///< the step that asks: refused, or memory was full for it
  bool is_open_ = false;
};

}  // namespace pileus
