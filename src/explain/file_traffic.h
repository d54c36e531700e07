#pragma once
// Predicts the messages between owners and writers of files.

#include <vector>

#include "explain/expected_files.h"
#include "explain/expected_traffic.h"

namespace pileus::explain {

/// Adds these messages to the traffic of the servers. The size of compressed data depends on its numbers, so
/// its bytes have a least and a most.
void add_file_traffic(const Plan& plan, const Steps& steps, const std::vector<ExpectedFile>& files,
                      ExpectedRun& run);

}  // namespace pileus::explain
