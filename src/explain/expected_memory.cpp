#include "explain/expected_memory.h"

#include <algorithm>
#include <numeric>

#include "analytics/rule_runner.h"
#include "explain/parcels.h"
#include "time/window.h"

namespace pileus::explain {
namespace {

/// A sample of one element of zeros, as the value's are.
Sample sample_of(const Value& value) {
  if (value.form == Form::numbers) {
    auto zeros = std::make_shared<std::vector<std::byte>>(size_bytes(value.type));
    return Array{value.type, {}, {zeros, zeros->data()}};
  }
  return make_array({0}, {});
}

/// Of each element: what a window like those of the run keeps of one.
std::uint64_t window_bytes(const Plan& plan, const Variable& variable) {
  const Value& value = plan[variable.value];
  const bool is_exact = value.spread != Spread::distributed;
  const auto window = make_window(plan[variable.schedule].manipulation, is_exact, value.missing);
  window->add(sample_of(value), 1);
  return window->most_bytes();
}

/// Whose windows the stream of a model rank feeds.
bool is_of_rank(const Value& value, ClientRank rank) {
  return value.spread == Spread::distributed || (value.spread == Spread::same && rank == 0);
}

void add_windows(const Plan& plan, std::vector<ExpectedMemory>& servers) {
  const std::vector<Region> whole = whole_regions(plan);
  for (const Variable& variable : plan.variables) {
    const Value& value = plan[variable.value];
    if (value.spread == Spread::rooted)
      servers[value.root].window_bytes +=
          window_bytes(plan, variable) * static_cast<std::uint64_t>(whole[variable.value.index].size());
  }
  for (ClientRank rank = 0; rank < plan.layout.clients; ++rank) {
    ExpectedMemory& server = servers[plan.layout.server_of(rank)];
    const std::vector<Region> regions = regions_of_client(plan, rank);
    for (const Variable& variable : plan.variables) {
      if (!is_of_rank(plan[variable.value], rank)) continue;
      const auto elements = static_cast<std::uint64_t>(regions[variable.value.index].size());
      server.window_bytes += elements * window_bytes(plan, variable);
    }
  }
}

}  // namespace

std::vector<ExpectedMemory> expected_memory(const Plan& plan, const ModelDescription& model,
                                            const Steps& steps) {
  std::vector<ExpectedMemory> servers(plan.layout.servers);
  add_windows(plan, servers);
  std::vector<Parcels> parcels;
  for (ClientRank rank = 0; rank < plan.layout.clients; ++rank)
    parcels.emplace_back(plan, rank, model.ranks[rank]);
  NeedTracker needs = plan.tracker(steps.start_time_s);
  for (const Step& step : steps.steps) {
    needs.advance(step);
    std::vector<std::uint64_t> bytes(servers.size(), 0);
    for (ClientRank rank = 0; rank < plan.layout.clients; ++rank) {
      for (const std::uint64_t size : parcels[rank].sizes_bytes(needs))
        bytes[plan.layout.server_of(rank)] += size;
    }
    for (std::size_t s = 0; s < servers.size(); ++s)
      servers[s].parcel_bytes = std::max(servers[s].parcel_bytes, bytes[s]);
  }
  return servers;
}

}  // namespace pileus::explain
