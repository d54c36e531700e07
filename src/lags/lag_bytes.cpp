#include "lags/lag_bytes.h"

#include <algorithm>

#include "plan/held_regions.h"
#include "step/step_facts.h"

namespace pileus {

std::int64_t most_back(const Plan& plan, ValueId value) {
  std::int64_t most = 0;
  for (const Rule& rule : plan.rules) {
    const auto* const lag = std::get_if<Lag>(&rule.action);
    if (lag != nullptr && rule.inputs.front() == value) most = std::max(most, lag->back);
  }
  return most;
}

std::vector<std::uint64_t> lag_bytes_by_server(const Plan& plan) {
  std::vector<std::uint64_t> bytes(plan.layout.servers, 0);
  for (std::size_t v = 0; v < plan.values.size(); ++v) {
    const ValueId value(v);
    const std::int64_t most = most_back(plan, value);
    if (most == 0) continue;
    const std::vector<Region> regions = regions_of_value(plan, value);
    for (ClientRank client = 0; client < plan.layout.clients; ++client) {
      if (!is_made_by(plan[value], client)) continue;
      bytes[plan.layout.server_of(client)] +=
          static_cast<std::uint64_t>((most + 1) * regions[client].size()) * size_bytes(plan[value].type);
    }
  }
  return bytes;
}

}  // namespace pileus
