#include "held/held_bytes.h"

#include <utility>

namespace pileus {

std::vector<KeptOfSteps> kept_of_held(const Plan& plan) {
  std::vector<KeptOfSteps> all;
  for (std::size_t f = 0; f < plan.fields.size(); ++f) {
    const PlannedField& field = plan.fields[f];
    if (!field.is_held) continue;
    KeptOfSteps kept;
    kept.values = {field.value};
    const ClientRank ranks = field.is_sent_by_all ? plan.layout.clients : 1;
    for (ClientRank rank = 0; rank < ranks; ++rank)
      kept.of_ranks.push_back(kKeptArrayBytes + static_cast<std::uint64_t>(plan.regions[rank][f].size()) *
                                                    size_bytes(field.type));
    all.push_back(std::move(kept));
  }
  return all;
}

}  // namespace pileus
