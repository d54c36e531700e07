#pragma once
// Predicts the memory of each server from the Plan and the steps alone.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/model_description.h"
#include "explain/expected_files.h"

namespace pileus::explain {

/// What the configuration, but not the Plan, says about a server.
struct ServerBudget {
  std::uint64_t budget_bytes = std::uint64_t{1} << 30;  ///< the most bytes of parcels that may be under way
                                                        ///< to it
  std::optional<std::int64_t> workers;                  ///< none: one for each of its model ranks
};

/// Memory of the process itself: the program, MPI and the file libraries. Measured with Open MPI 4.1.4 on
/// Linux. A run reports its own figure, which is higher with many ranks.
inline constexpr std::uint64_t kProgramBytes = 40'000'000;

struct ExpectedMemory {
  /// Memory that windows keep from one sample to the next, as the report of a run counts it, and static
  /// fields.
  std::uint64_t window_bytes = 0;
  std::uint64_t parcel_bytes = 0;  ///< what its model ranks send in the largest step
  /// Buffers of earlier parcels that are kept for later ones, besides those of the largest step.
  std::uint64_t spare_bytes = 0;
  std::uint64_t record_bytes = 0;   ///< records of windows, in the step with most of them
  std::uint64_t result_bytes = 0;   ///< results of rules, in the step with most of them
  std::uint64_t packing_bytes = 0;  ///< memory to put together and compress a record
  std::uint64_t slab_bytes = 0;  ///< of a record: what comes for slabs that it writes, or leaves for others
  std::uint64_t checkpoint_bytes = 0;  ///< copies of what windows keep

  /// If as many parcels are under way as the budget allows.
  std::uint64_t most_parcel_bytes = 0, most_bytes = 0;

  /// Memory of a server that keeps up with the model, so that it holds one step at a time.
  std::uint64_t keeps_up_bytes() const {
    return window_bytes + parcel_bytes + spare_bytes + record_bytes + result_bytes + packing_bytes +
           slab_bytes + checkpoint_bytes;
  }
};

/// The memory of each server, by its number.
std::vector<ExpectedMemory> expected_memory(const Plan& plan, const ModelDescription& model,
                                            const Steps& steps, const ServerBudget& budget = {});

}  // namespace pileus::explain
