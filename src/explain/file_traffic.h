#pragma once
// What owners and writers of files tell each other.

#include <vector>

#include "explain/expected_files.h"
#include "explain/expected_traffic.h"

namespace pileus::explain {

/// Adds it to what servers send. What is compressed is as long as its numbers let it be, so its bytes have a
/// least and a most.
void add_file_traffic(const Plan& plan, const Steps& steps, const std::vector<ExpectedFile>& files,
                      ExpectedRun& run);

}  // namespace pileus::explain
