#pragma once
// What each server holds in memory, from the Plan and the steps alone.

#include <cstdint>
#include <vector>

#include "core/model_description.h"
#include "explain/expected_files.h"

namespace pileus::explain {

struct ExpectedMemory {
  /// What windows keep from one sample to the next, as the report of a run counts it.
  std::uint64_t window_bytes = 0;
  std::uint64_t parcel_bytes = 0;  ///< what its model ranks send in the largest step
};

/// By server.
std::vector<ExpectedMemory> expected_memory(const Plan& plan, const ModelDescription& model,
                                            const Steps& steps);

}  // namespace pileus::explain
