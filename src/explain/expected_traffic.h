#pragma once
// What travels in a run between model ranks and servers and among servers, from the Plan and the steps alone:
// the counts that the report of the run will have. Sums are exact and as long as their values need, so the
// bytes of their reductions are known within bounds only.

#include <cstdint>
#include <string>
#include <vector>

#include "core/model_description.h"
#include "explain/expected_files.h"
#include "math/partial_sizes.h"
#include "messaging/frames.h"

namespace pileus::explain {

/// What one server sends to other servers, by kind. Both are equal where it is known exactly.
struct ExpectedTraffic {
  TrafficByKind least = {}, most = {};
};

/// What sums of values whose magnitudes are 0 or within these take at most is `most`.
inline constexpr SummedRange kSummed = {0x1p-32, 0x1p32};

struct ExpectedRun {
  std::vector<Traffic> from_ranks;         ///< by model rank: parcels, rank 0's clock, the end
  std::vector<ExpectedTraffic> of_server;  ///< by server: from the first step on
  std::vector<std::string> not_counted;    ///< what is left out, in words
};

/// `defers`: as in ServerSettings.
ExpectedRun expected_run(const Plan& plan, const ModelDescription& model, const Steps& steps,
                         const std::vector<ExpectedFile>& files, bool defers = true);

}  // namespace pileus::explain
