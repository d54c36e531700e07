#pragma once
// What places keep from step to step, beside windows: what lags go back to, values that hold, what operators
// follow. The limit of memory and `pileus explain` count it: some copies always, and one for each open step.

#include <cstdint>
#include <vector>

#include "plan/plan.h"

namespace pileus {

/// An array that is kept takes so much beside its elements.
inline constexpr std::uint64_t kKeptArrayBytes = 256;

struct KeptOfSteps {
  std::vector<ValueId> values;          ///< a step that has one of them keeps a copy while it is open
  std::uint64_t stays = 1;              ///< copies that are kept whatever is open
  std::vector<std::uint64_t> of_ranks;  ///< at most bytes of a copy, by model rank
  ServerRank root = 0;
  std::uint64_t of_root = 0;  ///< bytes of a copy that lies at a root

  std::vector<std::uint64_t> by_server(const Layout& layout) const {
    std::vector<std::uint64_t> bytes(layout.servers, 0);
    for (std::size_t rank = 0; rank < of_ranks.size(); ++rank)
      bytes[layout.server_of(static_cast<ClientRank>(rank))] += of_ranks[rank];
    if (of_root > 0) bytes[root] += of_root;
    return bytes;
  }
};

}  // namespace pileus
