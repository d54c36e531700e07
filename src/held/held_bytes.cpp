#include "held/held_bytes.h"

#include "plan/held_regions.h"

namespace pileus {

std::vector<std::uint64_t> held_bytes_by_server(const Plan& plan) {
  std::vector<std::uint64_t> bytes(plan.layout.servers, 0);
  for (std::size_t f = 0; f < plan.fields.size(); ++f) {
    const PlannedField& field = plan.fields[f];
    if (!field.is_held) continue;
    const ClientRank ranks = field.is_sent_by_all ? plan.layout.clients : 1;
    for (ClientRank rank = 0; rank < ranks; ++rank)
      bytes[plan.layout.server_of(rank)] +=
          2 * static_cast<std::uint64_t>(plan.regions[rank][f].size()) * size_bytes(field.type);
  }
  return bytes;
}

}  // namespace pileus
