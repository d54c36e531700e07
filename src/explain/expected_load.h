#pragma once
// How much time the servers of a run need, from its messages, rules and files, and how many servers that
// makes. The times of one element, message and byte are measured ones of one machine: to within a factor of
// two or three elsewhere. A run's own report knows better.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "explain/explanation.h"

namespace pileus::explain {

/// Processor seconds of all servers together, for a step in the mean.
struct ExpectedLoad {
  double receiving_s = 0, analysis_s = 0, writing_s = 0;
  double all_s() const { return receiving_s + analysis_s + writing_s; }
};
ExpectedLoad expected_load(const Explanation& all);

/// So many servers are at work at most half of the time where a step of the model takes so long.
std::uint32_t servers_for(const ExpectedLoad& load, double step_takes_s);

/// What follows from it, a sentence each. `step_takes_s`: of the clock on the wall; none: for several numbers
/// of servers.
std::vector<std::string> load_texts(const Explanation& all, std::optional<double> step_takes_s);

}  // namespace pileus::explain
