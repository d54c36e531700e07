#pragma once
// What one step adds to the memory of each server until it is written or sent on.

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/model_description.h"
#include "explain/expected_memory.h"
#include "explain/parcels.h"
#include "plan/plan.h"
#include "step/kept_of_steps.h"

namespace pileus::explain {

class StepMemory {
 public:
  struct OfRank {
    std::uint64_t parcels = 0;
    std::uint64_t records = 0;            ///< records that windows make
    std::uint64_t kept = 0;               ///< results of rules that are kept, for a file or for other rules
    std::uint64_t passing = 0;            ///< results of rules that are released before the next rank's come
    std::vector<std::uint64_t> by_group;  ///< its parcels, by group
  };
  struct OfServer {
    std::uint64_t parcels = 0, records = 0, results = 0;
    std::map<std::uint64_t, std::uint64_t> by_buffer;  ///< bytes of parcels by the size of their buffers
  };
  struct OfStep {
    std::vector<OfRank> ranks;
    std::vector<OfServer> servers;
  };

  StepMemory(const Plan& plan, const ModelDescription& model, const ServerBudget& budget);

  /// The memory of a step in which `records` records end, by schedule. Valid until the next call.
  const OfStep& of(const NeedTracker& needs, const std::vector<std::uint32_t>& records);
  /// The memory of the records at the end of the run.
  OfStep of_end(const std::vector<std::uint32_t>& records) const;
  /// The number of elements of a value that a model rank holds.
  std::uint64_t elements(ClientRank rank, ValueId value) const { return elements_[rank][value.index]; }
  /// The number of elements of a value that is on one server.
  std::uint64_t elements(ValueId value) const { return whole_[value.index]; }

 private:
  using Kind = std::pair<std::vector<bool>, std::vector<std::uint32_t>>;

  OfStep made(const NeedTracker& needs, const std::vector<std::uint32_t>& records);
  void add_parcels(OfStep& step, const NeedTracker& needs);
  void add_records(OfStep& step, const std::vector<std::uint32_t>& records) const;
  void add_results(OfStep& step, const NeedTracker& needs, const std::vector<std::uint32_t>& records) const;
  OfRank results_of(ClientRank rank, const NeedTracker& needs, const std::vector<bool>& is_recorded,
                    bool waits) const;
  void add_kept(OfStep& step, const NeedTracker& needs) const;
  void add_rooted(OfStep& step, const NeedTracker& needs) const;
  std::uint64_t bytes_of_element(ValueId value) const;

  const Plan& plan_;
  ServerBudget budget_;
  std::vector<std::vector<std::uint64_t>> elements_;  ///< by rank and value
  std::vector<std::uint64_t> whole_;                  ///< by value
  std::vector<Parcels> parcels_;                      ///< by rank
  std::vector<KeptOfSteps> kept_;
  std::map<Kind, OfStep> known_;
};

}  // namespace pileus::explain
