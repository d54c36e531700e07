#pragma once
// What the steps that servers are not done with cost them, by server and by model rank, as far as the Plan
// says it. Of these, the backlog is what every model rank has handed over: there the servers are behind, and
// not a rank of the model. Server 0 keeps the account.

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "messaging/steps_done.h"
#include "plan/parcel_costs.h"
#include "server/gate/step_costs.h"

namespace pileus {

/// Bytes that there are.
struct RunMemory {
  std::vector<std::uint64_t> for_steps;    ///< by server: of what is made of steps
  std::vector<std::uint64_t> for_parcels;  ///< by server: of the parcels of each of its model ranks
  /// Likewise, of those of steps that are let through; empty where the rank's memory bounds them. What is
  /// read from a disk is not in its rank's memory.
  std::vector<std::uint64_t> for_parcels_taken = {};
  std::vector<std::uint64_t> largest_step = {};  ///< by server: what a step takes in which all is wanted
};

class MemoryAccount {
 public:
  struct Cost {
    StepCosts::Bytes of_servers;
    ParcelCosts::Bytes of_ranks;
  };
  /// REQUIRES: the plan outlives it.
  MemoryAccount(const Plan& plan, const RunMemory& memory);

  /// Whether the step fits beside those that are not done. `half`: into half of the memory. A step that
  /// nobody is behind with always fits.
  bool fits(const Cost& cost, bool half) const;
  /// The first server that has no memory for the step, as servers are behind.
  std::optional<ServerRank> full_with(const Cost& cost) const;
  /// Servers are behind with little.
  bool has_caught_up() const;

  /// A step was let through.
  void add(Cost cost);
  /// What servers are done with. Errors: TransportError where it cannot be, and none of it counts.
  void take_done(std::span<const StepsDone> news);

 private:
  struct Server {
    std::uint64_t budget_bytes = 0, held_bytes = 0, backlog_bytes = 0;
    std::uint64_t done = 0, arrived = 0;  ///< steps
    std::vector<ClientRank> ranks;
  };
  struct Rank {
    std::uint64_t budget_bytes = 0, held_bytes = 0, backlog_bytes = 0;
  };
  void require_possible(const StepsDone& news) const;
  void set_arrived(std::uint64_t steps);
  void set_done(ServerRank server, std::uint64_t steps);

  std::vector<Server> servers_;
  std::vector<Rank> ranks_;
  bool bounds_parcels_ = false;
  std::deque<Cost> passed_;    ///< of steps that some server is not done with
  std::uint64_t first_ = 0;    ///< number of the first of these
  std::uint64_t arrived_ = 0;  ///< steps that all model ranks have handed over
};

}  // namespace pileus
