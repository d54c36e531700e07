#pragma once
// What each server holds in memory, from the Plan and the steps alone.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/model_description.h"
#include "explain/expected_files.h"

namespace pileus::explain {

/// What the configuration says of a server and the Plan does not.
struct ServerRoom {
  std::uint64_t budget_bytes = std::uint64_t{1} << 30;  ///< of parcels that may be under way to it
  std::optional<std::int64_t> workers;                  ///< none: as many as it has model ranks
};

/// Of the process itself: the program, MPI and the file libraries. Measured with Open MPI 4.1.4 on Linux;
/// a run reports its own, and many ranks take more.
inline constexpr std::uint64_t kProgramBytes = 40'000'000;

struct ExpectedMemory {
  /// What windows keep from one sample to the next, as the report of a run counts it, and static fields.
  std::uint64_t window_bytes = 0;
  std::uint64_t parcel_bytes = 0;  ///< what its model ranks send in the largest step
  /// Buffers of other parcels, which are kept for the next ones, beside those of the largest step.
  std::uint64_t spare_bytes = 0;
  std::uint64_t record_bytes = 0;      ///< that windows make in the step with most of them
  std::uint64_t result_bytes = 0;      ///< of rules, in the step with most of them
  std::uint64_t packing_bytes = 0;     ///< to put together and compress a record
  std::uint64_t checkpoint_bytes = 0;  ///< copies of what windows keep

  /// With as many parcels under way as the budget allows.
  std::uint64_t most_parcel_bytes = 0, most_bytes = 0;

  /// Of a server that keeps up with the model: one step is there at a time.
  std::uint64_t keeps_up_bytes() const {
    return window_bytes + parcel_bytes + spare_bytes + record_bytes + result_bytes + packing_bytes +
           checkpoint_bytes;
  }
};

/// By server.
std::vector<ExpectedMemory> expected_memory(const Plan& plan, const ModelDescription& model,
                                            const Steps& steps, const ServerRoom& room = {});

}  // namespace pileus::explain
