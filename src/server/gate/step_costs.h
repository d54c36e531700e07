#pragma once
// How much memory one step takes on each server until it is done, beside its parcels as they came: what rules
// make of them, sums on their way to a root, what comes from other servers, results. An upper bound from the
// Plan alone.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "plan/plan.h"
#include "plan/shared_work.h"
#include "plan/step_kinds.h"
#include "step/kept_of_steps.h"

namespace pileus {

class StepCosts {
 public:
  /// REQUIRES: the plan outlives it.
  explicit StepCosts(const Plan& plan);

  using Bytes = std::shared_ptr<const std::vector<std::uint64_t>>;

  /// The bytes on each server, at least 1, of a step that meets these needs.
  Bytes of(const std::vector<bool>& is_met);
  Bytes of(const NeedTracker& needs) { return of(met_needs(plan_, needs)); }
  /// The same of a step in which everything is wanted.
  std::vector<std::uint64_t> of_largest() const;

 private:
  struct Kept {
    std::vector<ValueId> values;
    std::vector<std::uint64_t> bytes;  ///< of a copy, by server
  };
  /// What a rule takes while it runs.
  struct Work {
    ValueId output;
    std::uint64_t bytes = 0;
    std::vector<ClientRank> ranks;  ///< on whose streams it runs
  };
  using IsWanted = std::function<bool(ValueId)>;
  std::vector<std::uint64_t> made(const IsWanted& is_wanted) const;
  void find_work();
  void find_slabs();
  void add_communication(const Rule& rule, std::vector<std::uint64_t>& bytes) const;
  void add_gathered(const Rule& rule, std::vector<std::uint64_t>& bytes) const;
  void add_halos(const Rule& rule, std::vector<std::uint64_t>& bytes) const;
  void add_result(const Rule& rule, std::vector<std::uint64_t>& bytes) const;
  void add_kept(const IsWanted& is_wanted, std::vector<std::uint64_t>& bytes) const;
  void add_work(const IsWanted& is_wanted, std::vector<std::uint64_t>& bytes) const;
  void add_shared_work(const IsWanted& is_wanted, std::vector<std::uint64_t>& bytes) const;
  void add_points(const IsWanted& is_wanted, std::vector<std::uint64_t>& bytes) const;
  void add_records(const IsWanted& is_wanted, std::vector<std::uint64_t>& bytes) const;
  std::uint64_t bytes_of_element(ValueId value) const;

  const Plan& plan_;
  std::vector<std::vector<std::uint64_t>> elements_;  ///< by server and value: of its model ranks together
  std::vector<std::uint64_t> whole_;                  ///< by value
  std::vector<std::vector<std::uint64_t>> children_;  ///< by tree and server
  std::vector<std::vector<std::size_t>> trees_;       ///< by value, where it comes of a communication
  std::vector<std::optional<RuleId>> shared_work_;    ///< by rule
  std::vector<Kept> kept_;
  std::vector<Work> work_;
  std::vector<std::map<ServerRank, std::uint64_t>> slabs_;  ///< by variable: bytes of a record by server, in
                                                            ///< slabs that it writes, or that leave it
  std::map<std::vector<bool>, Bytes> known_;  ///< by which needs are met: of some of the kinds of steps
};

/// What is kept from step to step beside windows.
std::vector<KeptOfSteps> kept_of_steps(const Plan& plan);

/// The bytes that windows hold on each server through the whole run.
std::vector<std::uint64_t> window_bytes_by_server(const Plan& plan);
/// The bytes of static fields that stay on each server: the parts of its model ranks, and the values in files
/// that it owns; and what is kept from step to step whatever is open. They are part of the above.
std::vector<std::uint64_t> static_bytes_by_server(const Plan& plan);

}  // namespace pileus
