#pragma once
// Predicts the traffic between model ranks and servers, and among servers, from the Plan and the steps alone.
// The counts are those in the report of the run. Exact sums are as long as their values need, so the bytes of
// their reductions are known only within bounds.

#include <cstdint>
#include <string>
#include <vector>

#include "core/model_description.h"
#include "explain/expected_files.h"
#include "math/partial_sizes.h"
#include "messaging/frames.h"

namespace pileus::explain {

/// What one server sends to other servers, by kind. Least and most are equal if the number is known exactly.
struct ExpectedTraffic {
  TrafficByKind least = {}, most = {};
};

/// `most` holds for sums of values that are 0 or have magnitudes within these bounds.
inline constexpr SummedRange kSummed = {0x1p-32, 0x1p32};

struct ExpectedRun {
  std::vector<Traffic> from_ranks;         ///< by model rank: parcels, rank 0's clock, the end
  std::vector<ExpectedTraffic> of_server;  ///< by server: from the first step on
  std::vector<std::string> not_counted;    ///< a description of what is left out
};

/// `defers`: the setting of that name in ServerSettings.
ExpectedRun expected_run(const Plan& plan, const ModelDescription& model, const Steps& steps,
                         const std::vector<ExpectedFile>& files, bool defers = true);

}  // namespace pileus::explain
