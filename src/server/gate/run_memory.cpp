#include "server/gate/run_memory.h"

#include <algorithm>
#include <vector>

#include "plan/parcel_costs.h"
#include "plan/points.h"
#include "server/gate/step_costs.h"

namespace pileus {
namespace {

/// The budget where the configuration says nothing of memory.
constexpr std::int64_t kDefaultBudgetBytes = std::int64_t{1} << 30;

/// A parcel under way takes so much beside its bytes, and so does each of its fields.
constexpr std::uint64_t kParcelBytes = 512, kParcelFieldBytes = 112;

/// A parcel that is laid aside on a disk takes so much memory, with its step.
constexpr std::uint64_t kSpilledMessageBytes = 512;
/// An eighth of the budget is for that.
constexpr std::uint64_t kShareOfSpilledMessages = 8;

constexpr std::uint64_t kMostToldAtOnce = 16;

std::uint64_t memory_budget(const Config& config) {
  const auto all = static_cast<std::uint64_t>(config.memory_budget_bytes.value_or(kDefaultBudgetBytes));
  return std::max<std::uint64_t>(1, all / config.memory_shares);
}

/// By server: the ratio of the bytes of parcels of its model ranks to all that these parcels take.
std::vector<double> shares_of_bytes(const Plan& plan) {
  struct Sums {
    std::uint64_t bytes = 0, beside = 0;
  };
  std::vector<Sums> sums(plan.layout.servers);
  for (ClientRank client = 0; client < plan.layout.clients; ++client) {
    Sums& sum = sums[plan.layout.server_of(client)];
    for (const PlannedGroup& group : plan.groups) {
      sum.beside += kParcelBytes;
      for (const FieldId field : group.fields) {
        if (plan[field].is_static || (!plan[field].is_sent_by_all && client != 0)) continue;
        sum.beside += kParcelFieldBytes;
        sum.bytes += bytes_handed_over(plan, client, field);
      }
    }
  }
  std::vector<double> shares;
  for (const Sums& sum : sums) {
    const auto bytes = static_cast<double>(sum.bytes);
    shares.push_back(sum.bytes == 0 ? 1 : bytes / static_cast<double>(sum.bytes + sum.beside));
  }
  return shares;
}

std::vector<std::size_t> clients_of_servers(const Layout& layout) {
  std::vector<std::size_t> clients(layout.servers, 0);
  for (ClientRank client = 0; client < layout.clients; ++client) ++clients[layout.server_of(client)];
  return clients;
}

/// How often `bytes` fit into `budget`.
std::uint64_t times(std::uint64_t budget, std::uint64_t bytes) {
  return budget / std::max<std::uint64_t>(1, bytes);
}

}  // namespace

std::uint64_t budget_of_client(const Config& config, std::size_t clients) {
  // Two fifths, as a buffer may be a quarter longer than its parcel: half of the budget.
  return memory_budget(config) / 5 * 2 / std::max<std::size_t>(1, clients);
}

RunMemory run_memory(const Config& config, const Plan& plan) {
  const std::uint64_t whole = memory_budget(config);
  const std::uint64_t half = whole / 2 - (config.spill ? whole / kShareOfSpilledMessages : 0);
  const std::vector<std::uint64_t> windows = window_bytes_by_server(plan);
  const std::vector<std::uint64_t> largest = StepCosts(plan).of_largest();
  const std::vector<std::size_t> clients = clients_of_servers(plan.layout);
  const std::vector<double> shares = shares_of_bytes(plan);
  RunMemory memory;
  memory.largest_step = largest;
  for (ServerRank s = 0; s < plan.layout.servers; ++s) {
    memory.for_steps.push_back(std::max(half / 4, half - std::min(half, windows[s])));
    const std::uint64_t needed = windows[s] + largest[s];
    // Never less than a sixth, lest a model wait for want of buffers.
    const std::uint64_t left = std::max(whole / 6, (whole - std::min(whole, needed)) / 5 * 4);
    const std::uint64_t share = left / std::max<std::size_t>(1, clients[s]);
    const auto most = static_cast<double>(std::min(budget_of_client(config, clients[s]), share));
    const auto parcels = static_cast<std::uint64_t>(most * shares[s]);
    memory.for_parcels.push_back(config.spill ? parcels / 3 * 2 : parcels);
    if (config.spill) memory.for_parcels_taken.push_back(parcels / 3);
  }
  return memory;
}

/// Half of what a model rank has beside the steps that are let through: the rest is for what is on its way to
/// the server, or to the disk.
std::uint64_t most_early_bytes(const RunMemory& memory, ServerRank self) {
  return (memory.for_parcels[self] - memory.for_parcels_taken[self]) / 2;
}

std::uint64_t most_spilled_messages(const Config& config) {
  return std::max<std::uint64_t>(1, memory_budget(config) / kShareOfSpilledMessages / kSpilledMessageBytes);
}

std::uint64_t steps_to_tell_at_once(const Plan& plan, const RunMemory& memory) {
  const auto parcels = ParcelCosts(plan).of(std::vector<bool>(plan.needs.size(), true));
  std::uint64_t fit = kMostToldAtOnce * 4;
  for (ServerRank s = 0; s < plan.layout.servers; ++s)
    fit = std::min(fit, times(memory.for_steps[s], memory.largest_step[s]));
  for (ClientRank client = 0; client < plan.layout.clients; ++client)
    fit = std::min(fit, times(memory.for_parcels[plan.layout.server_of(client)], (*parcels)[client]));
  return std::clamp<std::uint64_t>(fit / 4, 1, kMostToldAtOnce);
}

}  // namespace pileus
