#pragma once
// The gate says which step the clock may come to, so that what servers hold of steps, beside parcels as they
// came, stays within their memory. Server 0 has it, as everything that is made of a step anywhere waits for
// its clock. What a step takes is said by the Plan (step_costs.h), and counts until its server is done with
// the step. A step that nobody is behind with is always let through, so the lowest one never waits for
// memory.

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "core/step.h"
#include "server/step_costs.h"

namespace pileus {

class StepGate {
 public:
  /// `budget_bytes`: by server. REQUIRES: the plan outlives it.
  StepGate(const Plan& plan, std::vector<std::uint64_t> budget_bytes);

  /// The step that asks next; again where it failed. REQUIRES: the one before it was let through.
  void ask(const Step& step, double start_time_s);
  /// Lets it through if there is memory. After a refusal, half of each server's must be free first, so that
  /// what servers are asked to hurry for is more than one step. REQUIRES: a step asks.
  bool lets_through();
  /// The server is done with so many steps in all.
  void take_done(std::size_t server, std::uint64_t steps);
  /// Lets everything through from now on.
  void open_for_good() { is_open_ = true; }

 private:
  struct Server {
    std::uint64_t budget_bytes = 0, held_bytes = 0, done = 0;
  };
  const Plan& plan_;
  StepCosts costs_;
  std::vector<Server> servers_;
  std::optional<NeedTracker> tracker_;
  std::deque<StepCosts::Bytes> passed_;  ///< costs of steps that some server is not done with
  std::uint64_t first_ = 0;              ///< number of the first of these
  StepCosts::Bytes asking_;
  std::int64_t last_asked_ = -1;
  bool was_refused_ = false;
  bool is_open_ = false;
};

}  // namespace pileus
